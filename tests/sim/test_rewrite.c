/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simcc/rewrite/rewrite.h"

#define SITE "(::sim_at(__builtin_FILE(),__builtin_LINE()),"
#define UNREAD "(::sim_unread(__builtin_FILE(),__builtin_LINE()),"
#define DECLARED "int cudaFree(void *p); int cudaLaunchKernel(); int host_work(long n); int cudaStreamQuery(void *s); int cudaDeviceSynchronize(void);\n"
#define HEADER "# 1 \"/home/me/include/cuda_runtime_api.h\" 1 3\n" DECLARED \
               "# 1 \"x.cu\" 2\n"
#define HEADER_AFTER "# 1 \"cuda_runtime_api.h\" 1 3\n" DECLARED "# 1 \"x.cu\" 2\n"

static const char *const own[] = { "/home/me/include/", NULL };

/* What a kernel of these parameters says of itself, with the arguments of its template. */
#define NAMES_ITSELF(parameters, k) "(void)&::__sim::__known<void(*)(" parameters ")," k ">::__is;"

static void becomes_with(bool one_core, const char *before, const char *after)
{
    size_t length;
    char *refused, *text = rewrite(before, strlen(before), own, "",
                                   (struct rewrite_how){ .one_core = one_core }, &length, &refused);
    assert_string_equal(text, after);
    assert_int_equal(length, strlen(after));
    assert_null(refused);
    free(text);
}

/* x.cu, after the header, has this wrong with it ("": nothing). */
static void is_refused_with(bool judged, const char *program, const char *why)
{
    size_t length;
    char text[1024], *refused;
    snprintf(text, sizeof text, HEADER "%s", program);
    free(rewrite(text, strlen(text), own, "", (struct rewrite_how){ .judged = judged }, &length,
                 &refused));
    assert_string_equal(refused ? refused : "", why);
    free(refused);
}

static void is_refused(const char *program, const char *why)
{
    is_refused_with(false, program, why);
}

static void becomes(const char *before, const char *after)
{
    becomes_with(false, before, after);
}

/* After the header that declares what a call of the runtime is. */
static void becomes_in_program(const char *before, const char *after)
{
    char a[1024], b[1024];
    snprintf(a, sizeof a, HEADER "%s", before);
    snprintf(b, sizeof b, HEADER_AFTER "%s", after);
    becomes(a, b);
}

static void unchanged(const char *text)
{
    becomes(text, text);
}

static void a_query_whose_answer_nobody_looks_at_is_marked(void **state)
{
    (void)state;
    static const char *const unread[][2] = {
        { "; ", ";" }, { "{ ", "; }" }, { "if (x) ", ";" }, { "else ", ";" },
        { "while (f(1)) ", ";" }, { "; (void)", ";" },
        { "; (", ");" }, { "; (void)((", "));" }, { "; streams_check((", "), 0);" },
        { ";\n# 7 \"x.cu\"\n", ";" },
        { "{ cudaError_t e = ", "; } e;" }, { "; const auto e = ", "; (void)e; }" },
        { "} cudaError_t e = ", "; f(); e = g(); h(e);" },
    };
    static const char *const read[][2] = {
        { "while (", " == 600);" }, { "e = ", ";" }, { "return ", ";" }, { "e = (int)", ";" },
        { "f(", ");" }, { "if (", ") g();" }, { "e = (", ");" }, { "return (", ");" },
        { "x ? y : ", ";" }, { "e = other_check((", "), 0);" },
        { "{ cudaError_t e = ", "; f(e); }" }, { "; cudaError_t e = ", "; { e = g(); } h(e);" },
        { "; cudaError_t e = ", "; if (x) e = g();" },
        { "; cudaError_t e = ", "; e = g(e);" }, { "; cudaError_t e = ", "; if (e == 0) h();" },
        { "for (cudaError_t e = ", "; e;) h();" },
        { "; static cudaError_t e = ", ";" }, { "; cudaError_t e = ", ", f = g();" },
    };
    char before[256], after[256];
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < (k ? sizeof read / sizeof *read : sizeof unread / sizeof *unread);
             i++) {
            const char *const *around = k ? read[i] : unread[i];
            snprintf(before, sizeof before, "%scudaStreamQuery(s)%s", around[0], around[1]);
            snprintf(after, sizeof after,
                     "%s"
                     "%scudaStreamQuery(s))"
                     "%s",
                     around[0], k ? SITE : UNREAD, around[1]);
            becomes_in_program(before, after);
        }
}

static void a_launch_becomes_a_configuration_and_a_call(void **state)
{
    (void)state;
    becomes("k<<<g, b>>>(x, y);", "(::__sim::__configure(g, b),k(x, y));");
    becomes("k <<< g , b , 0 , s >>> ( );", "(::__sim::__configure( g , b , 0 , s ),k ( ));");
}

static void a_kernel_cast_to_void_is_made_known(void **state)
{
    (void)state;
    static const char k[] = "__global__ void k(int n);";
    static const char *const casts[][2] = {
        { "(void *)k;", "(void *)::__sim::__address(k);" },
        { "(const void *)&k;", "(const void *)::__sim::__address(&k);" },
        { "(void *)(k<A<int>, 3>);", "(void *)(::__sim::__address(k<A<int>, 3>));" },
        { "reinterpret_cast<void const *>(a::k);",
          "reinterpret_cast<void const *>(::__sim::__address(a::k));" },
        { "(void *)k(3);", "(void *)k(3);" },
        { "(void *)kk; x * k;", "(void *)kk; x * k;" },
    };
    for (size_t i = 0; i < sizeof casts / sizeof *casts; i++) {
        char before[256], after[256];
        snprintf(before, sizeof before, "%s f = %s", k, casts[i][0]);
        snprintf(after, sizeof after, "%s f = %s", k + strlen("__global__"), casts[i][1]);
        becomes(before, after);
    }
}

static void where_a_kernel_is_wanted_whatever_is_cast_to_void_is_made_known(void **state)
{
    (void)state;
    becomes_in_program("cudaLaunchKernel((void *)f, 1);",
                       UNREAD "cudaLaunchKernel((void *)::__sim::__address(f), 1));");
    becomes_in_program(
        "cudaLaunchKernel(a(b, c), (const void *)t[i, 2].f(3));",
        UNREAD "cudaLaunchKernel(a(b, c), (const void *)::__sim::__address(t[i, 2].f(3))));");
    becomes_in_program("cudaLaunchKernel((void *)0, (int *)f, (void *));",
                       UNREAD "cudaLaunchKernel((void *)0, (int *)f, (void *)));");
    becomes_in_program("cudaFree((void *)f);", UNREAD "cudaFree((void *)f));");
}

static void a_kernel_may_be_qualified_templated_or_an_expression(void **state)
{
    (void)state;
    becomes("return a::k<int, N><<<1, 2>>>();",
            "return (::__sim::__configure(1, 2),a::k<int, N>());");
    becomes("else ::k<<<1, 2>>>();", "else (::__sim::__configure(1, 2),::k());");
    becomes("p->t[i]<<<1, 2>>>();", "(::__sim::__configure(1, 2),p->t[i]());");
    becomes("x; (f)<<<1, 2>>>();", "x; (::__sim::__configure(1, 2),(f)());");
    becomes("k<A<B<int>>><<<1, 2>>>();", "(::__sim::__configure(1, 2),k<A<B<int>>>());");
}

static void launches_nest_in_arguments(void **state)
{
    (void)state;
    becomes("k<<<f(1, 2), {3, 4}>>>(g(h<<<1, 1>>>(2)));",
            "(::__sim::__configure(f(1, 2), {3, 4}),k(g((::__sim::__configure(1, 1),h(2)))));");
}

#define IS_SHARED(store) store " int x;static_assert(sizeof(x)<=49152,\"more __shared__ memory than a block has\");" \
    store " struct sim_shared sim_x;if(!sim_x.__reached)::sim_shared_reach(&sim_x,(void*)&x,sizeof(x));"

static void shared_variables_become_the_cores_own(void **state)
{
    (void)state;
    becomes("f() { __shared__ int x; }", "f() { " IS_SHARED("static thread_local") " }");
    becomes_with(true, "f() { __shared__ int x; }", "f() { " IS_SHARED("static") " }");
    becomes("namespace a { __shared__ A<int, 3> x[2]; }",
            "namespace a { static thread_local A<int, 3> x[2]; }");
    becomes("extern \"C\" { static __shared__ int x; }",
            "extern \"C\" { static  thread_local int x; }");
}

static void dynamic_shared_memory_becomes_a_pointer(void **state)
{
    (void)state;
    becomes("f() { extern __shared__ int x[]; }",
            "f() {   int *const x=::__sim::__dynamic_shared(); }");
    becomes("extern __shared__ int x[];",
            "static thread_local  int *const x=::__sim::__dynamic_shared();");
    becomes("f() { extern __shared__ T x[][N + 1]; }",
            "f() {   T (*const x)[N + 1]=::__sim::__dynamic_shared(); }");
}

#define KNOWN_BY(call, x) "static const int sim_symbol_" x " __attribute__((unused))=::" call "((void*)&" x ",sizeof(" x "),\"" x "\");"
#define KNOWN(x) KNOWN_BY("sim_symbol", x)

static void variables_of_the_device_make_themselves_known(void **state)
{
    (void)state;
    becomes("__device__ int x, y[2] = { 1, 2 };", " int x, y[2] = { 1, 2 };" KNOWN("x") KNOWN("y"));
    becomes("namespace { static __constant__ A<1, 2> x; }",
            "namespace { static  A<1, 2> x;" KNOWN_BY("sim_constant", "x") " }");
    becomes("extern \"C\" __device__ int x;", "extern \"C\"  int x;" KNOWN("x"));
    becomes("extern __device__ int x;", "extern  int x;");
    becomes("template <class T> __device__ T x;", "template <class T>  T x;");
}

static void functions_of_the_device_are_functions(void **state)
{
    (void)state;
    becomes("__host__ __device__ int f(int a, int b) { return a; }",
            "  int f(int a, int b) { return a; }");
    becomes("template <class T> __device__ A<T, 1> f() {}", "template <class T>  A<T, 1> f() {}");
    becomes("auto f = [=] __device__ (int i) { };", "auto f = [=]  (int i) { };");
    becomes("struct S { __device__ S() : a(0) {} static __device__ int a; };",
            "struct S {  S() : a(0) {} static  int a; };");
}

static void reading_a_special_register_becomes_a_call(void **state)
{
    (void)state;
    becomes("asm volatile(\"mov.u64 %0, %%globaltimer;\" : \"=l\"(t));",
            "   (t)=::sim_register_globaltimer();");
    becomes("__asm__(\"mov.u32 %0, %%laneid;\" : \"=r\"(a[i]) :: \"memory\");",
            "  (a[i])  =::sim_register_laneid();");
    unchanged("asm volatile(\"nop\"); asm(\"mov %1, %0\" : \"=r\"(a) : \"r\"(b));");
}

#define NO_RUNTIME "x.cu:1: error: cudaStreamQuery is called by code of the device: simcc has the host's runtime alone (book, \"What it does not do\")\n"

static void code_of_the_device_calls_little_of_the_runtime(void **state)
{
    (void)state;
    is_refused("__global__ void k() { cudaStreamQuery(0); }", NO_RUNTIME);
    is_refused(
        "template <class T> __device__ void f(T x) { auto g = [=] { cudaStreamQuery(x); }; }",
        NO_RUNTIME);
    is_refused("struct s { __device__ s() : a{1}, b(2) { cudaStreamQuery(0); } };", NO_RUNTIME);
    is_refused("__global__ void k() { k<<<1, 1>>>(); cudaGetLastError(); }", "");
    is_refused("__host__ __device__ void f() { cudaFree(0); }", "");
    is_refused("__device__ void f(); __device__ int x = 3; void g() { cudaFree(0); }", "");
    is_refused(
        "\n__global__ void k() { cudaDeviceSynchronize(); }",
        "x.cu:2: error: cudaDeviceSynchronize is called by code of the device: CUDA 12 took it away there, and simcc does not have it (book, "
        "\"What it does not do\")\n");
}

#define HOSTS(f) "x.cu:1: error: " f " is a function of the host, and this is code of the device, which can call __device__ functions alone\n"

static void code_of_the_device_calls_no_function_of_the_host(void **state)
{
    (void)state;
    is_refused("int f(int x) { return x; } __global__ void k() { f(1); }", HOSTS("f"));
    is_refused("namespace a { float *f(int); } __device__ int g() { return *a::f(1) + f(2); }",
               HOSTS("f"));
    is_refused("__global__ void k(int *p) { *p = rand(); }", HOSTS("rand"));
    is_refused(
        "__global__ void k() { std::vector<int> v; }",
        "x.cu:1: error: std::vector is the host's, and this is code of the device: nvcc refuses it, and so does simcc\n");
    static const char *const fine[] = {
        "__device__ int f(int x) { return x; } __global__ void k() { f(1); }",
        "int f(int x); __device__ int f(double x); __global__ void k() { f(1.0); }",
        "__host__ __device__ int f(int x); __global__ void k() { f(1); }",
        "__device__ __host__ int f(int x); int f(int x) { return x; } __global__ void k() { f(1); }",
        "constexpr int f(int x) { return x; } template <class T> T g(T x); __global__ void k() { f(1); g(2); }",
        "int f(int x); template <class F> __global__ void k(F f) { f(1); }",
        "int f(int x); __global__ void k(s *p) { p->f(1); s::f(2); auto f = [] (int x) { }; f(3); }",
        "struct s { int f(); }; __global__ void k() { f(1); printf(\"\"); malloc(3); }",
        "int f(int x); void g() { f(1); std::string s; rand(); }",
        "__device__ int rand(); __global__ void k() { rand(); std::min(1, 2); }",
    };
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        is_refused(fine[i], "");
}

static void a_launch_ends_with_a_semicolon(void **state)
{
    (void)state;
    static const char *const missing[] = { "k<<<1, 1>>>(x) }", "k<<<1, 1>>>(x) y = 3;",
                                           "k<<<1, 1>>>(x)\n\nfor (;;) { }", "k<<<1, 1>>>(x) { }" };
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        is_refused(missing[i], "x.cu:1: error: a ; is missing after this launch\n");
    is_refused("k<<<1, 1>>>(x); a ? k<<<1, 1>>>(x) : k<<<1, 1>>>(y), f(k<<<1, 1>>>(x));", "");
}

static void an_instruction_of_ptx_becomes_an_expression(void **state)
{
    (void)state;
    becomes(
        "__device__ void f() { asm(\"popc.b32 %0, %1;\" : \"=r\"(a[i]) : \"r\"(b + 1)); }",
        " void f() { ::__sim::__ptx_out((a[i]),::__popc(::__sim::__ptx_in<unsigned>((b + 1)))); }");
    becomes(
        "__device__ void f() { asm volatile(\"{ \\n\\t\" \"st.global.u32 [%0 + 4], 7;}\" :: \"l\"(p)); }",
        " void f() { (((unsigned volatile*)((char*)(p)+4))[0]=::__sim::__ptx_in<unsigned>(7),::__sim::__looked(false)); }");
    becomes(
        "__device__ void f() { asm(\"mov.u32 %0,\\n%%laneid;\" : \"=r\"(a)); asm volatile(\"\" ::: \"memory\"); }",
        " void f() {   (a)=::sim_register_laneid(); ((void)0); }");
    becomes(
        "__device__ void f() { asm(\"{.reg .pred p; setp.ne.u32 p, %1, 0; @!p mov.u32 %0, 3;}\" : \"=r\"(a) : \"r\"(b)); }",
        " void f() { ({bool __ptx_p;__ptx_p=(::__sim::__ptx_in<unsigned>((b))!=::__sim::__ptx_in<unsigned>(0));"
        "if(!__ptx_p)::__sim::__ptx_out((a),::__sim::__ptx_in<unsigned>(3));}); }");
    is_refused(
        "__device__ void f() { asm(\"mov.u32 %0, 1; bra there;\" : \"=r\"(a)); }",
        "x.cu:1: error: simcc has no PTX instruction like this one: bra there; (book, \"What it does not do\")\n");
    is_refused(
        "__device__ void f() { asm(\"popc.b32 %0, %3;\" : \"=r\"(a) : \"r\"(b)); }",
        "x.cu:1: error: simcc has no PTX instruction like this one: popc.b32 %0, %3; (book, \"What it does not do\")\n");
    is_refused("void f() { asm(\"cpuid\"); }", "");
}

static void shifts_and_casts_of_kernels_are_clamped(void **state)
{
    (void)state;
    becomes(
        "__device__ void f() { a = b << n; a >>= n; g<h<int>>(1); i < n >> m; x >> 3; }",
        " void f() { a = b <<::__sim::__left<< n; a >>=::__sim::__by= n; g<h<int>>(1); i < n >>::__sim::__right>> m; x >> 3; }");
    becomes(
        "__device__ void f() { (int)x; (unsigned char)(x); int(x); static_cast<unsigned int>(x); (int)1; sizeof(int) * x; (int)1.5f; }",
        " void f() { (int)(::__sim::__saturated<int>)x; (unsigned char)(::__sim::__saturated<unsigned char>)(x); int(x); "
        "::__sim::__to<unsigned int>(x); (int)1; sizeof(int) * x; (int)(::__sim::__saturated<int>)1.5f; }");
    becomes("__device__ void f() { a = int(x) + unsigned(3.5f); int y(x); }",
            " void f() { a = ::__sim::__to<int>(x) + ::__sim::__to<unsigned>(3.5f); int y(x); }");
    unchanged("void f() { a = b << n; (int)x; }");
}

static void what_is_volatile_goes_in_step(void **state)
{
    (void)state;
    becomes(
        "__device__ void f(volatile int *s, int t) { s[t] += s[t + 1]; t = 2; if (t) s[t]++; }",
        " void f(volatile int *s, int t) { ::__sim::__put(s[t]) += s[t + 1];::__sim::__step(); t = 2; "
        "{::__sim::__turn sim_turn;if (t) {::__sim::__put(s[t])+=1;::__sim::__step();}} }");
    becomes(
        "__device__ int f(volatile int *s) { while (!*s) ; return s[0]; }",
        " int f(volatile int *s) { {::__sim::__turn sim_turn;while (!*s) {::__sim::__turn sim_turn;;}} ::__sim::__step();return s[0]; }");
    becomes(
        "__device__ void f(int *p) { int x = *(volatile int *)p; if (x) p[0] = 1; else p[1] = 2; }",
        " void f(int *p) { int x = *(volatile int *)p;::__sim::__step(); if (x) p[0] = 1; else p[1] = 2; }");
    becomes(
        "struct m { volatile int v; __device__ void f() { do v = 0; while (v); for (;;) { break; } } };",
        "struct m { volatile int v;  void f() { {::__sim::__turn sim_turn;do {::__sim::__turn sim_turn;{::__sim::__put(v) = 0;::__sim::__step();}} while (v);} "
        "for (;;) { break; } } };");
    becomes("__device__ void f() { asm volatile(\"\"); x = 1; }",
            " void f() { ((void)0); x = 1; }");
    unchanged("void f() { volatile int x; x = 1; }");
}

static void lines_stay_where_they_are(void **state)
{
    (void)state;
    becomes("k<1,\n2><<<\n1,\n2\n>>>(\nx);\nlast",
            "(::__sim::__configure(\n\n1,\n2\n),k<1, 2>(\nx));\nlast");
}

static void shifts_and_templates_are_no_launches(void **state)
{
    (void)state;
    unchanged("a << b; c >> d; vector<vector<vector<int>>>(3); x <<= 2;");
    unchanged("o& operator<< <char>(o&, char); f(operator<< <>);");
    unchanged("\"k<<<1, 2>>>()\" 'x' R\"x(k<<<1, 2>>>())x\"");
    static const char *const prefixes[] = { "L", "u", "U", "u8" };
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        char text[80];
        snprintf(text, sizeof text, "%sR\"x(\" k<<<1, 2>>>() \")x\"; %s\"k<<<1, 2>>>()\";",
                 prefixes[i], prefixes[i]);
        unchanged(text);
    }
    becomes("x = 1'000; k<<<1, 2>>>(); y = 2'500;",
            "x = 1'000; (::__sim::__configure(1, 2),k()); y = 2'500;");
}

static void a_kernel_holds_its_arguments_in_a_closure(void **state)
{
    (void)state;
    becomes("__global__ void k(int n) { n++; }",
            " void k(int n) {" NAMES_ITSELF("int n",
                                            "k") "::__sim::__body(\"k\",[=]()mutable{ n++; });}");
    becomes("template <> __global__ void k<int>(int n) { { } }",
            "template <>  void k<int>(int n) {" NAMES_ITSELF(
                "int n", "k<int>") "::__sim::__body(\"k\",[=]()mutable{ { } });}");
    becomes("static __global__ void __attribute__((used)) k(f (*p)(int)) { }",
            "static  void __attribute__((used)) k(f (*p)(int)) {" NAMES_ITSELF(
                "f (*p)(int)", "k") "::__sim::__body(\"k\",[=]()mutable{ });}");
}

static void a_kernel_names_itself_as_its_template_has_it(void **state)
{
    (void)state;
    becomes(
        "template <typename T, int N = 3, class... R> __global__ void k(T *p, int n = f(1, 2)) { }",
        "template <typename T, int N = 3, class... R>  void k(T *p, int n = f(1, 2)) {" NAMES_ITSELF(
            "T *p, int n ", "k<T,N,R...> ") "::__sim::__body(\"k\",[=]()mutable{ });}");
    becomes("template <typename T, typename = void> __global__ void k(T) { }",
            "template <typename T, typename = void>  void k(T) {" NAMES_ITSELF(
                "T", "k<T> ") "::__sim::__body(\"k\",[=]()mutable{ });}");
    becomes("template <int> __global__ void k() { }",
            "template <int>  void k() {::__sim::__body(\"k\",[=]()mutable{ });}");
    becomes("__global__ void k(int *k) { }",
            " void k(int *k) {::__sim::__body(\"k\",[=]()mutable{ });}");
}

static void a_kernel_says_whether_it_has_a_loop(void **state)
{
    (void)state;
    becomes("__global__ void k() { while (f()) ; }",
            " void k() {" NAMES_ITSELF(
                "", "k") "::__sim::__body<1>(\"k\",[=]()mutable{ while (f()) ; });}");
    becomes(
        "__global__ void k() { sim_trigger_launch_completion(); }",
        " void k() {" NAMES_ITSELF(
            "",
            "k") "::__sim::__body<2>(\"k\",[=]()mutable{ sim_trigger_launch_completion(); });}");
    becomes("__global__ void k() { for (;;) ; }",
            " void k() {" NAMES_ITSELF(
                "", "k") "::__sim::__body<1>(\"k\",[=]()mutable{ for (;;) ; });}");
    becomes("__global__ void k() { } void f() { for (;;) ; }",
            " void k() {" NAMES_ITSELF(
                "", "k") "::__sim::__body(\"k\",[=]()mutable{ });} void f() { for (;;) ; }");
}

static void a_declared_kernel_is_an_ordinary_declaration(void **state)
{
    (void)state;
    becomes("__global__ void k(int n); void f() { }", " void k(int n); void f() { }");
}

static void calls_of_the_runtime_say_where_they_stand(void **state)
{
    (void)state;
    becomes_in_program("cudaFree(p);", UNREAD "cudaFree(p));");
    becomes_in_program("x = ::cudaFree(q(1));", "x = " SITE "::cudaFree(q(1)));");
    becomes_in_program("cudaFree(f(cudaFree(p)));", UNREAD "cudaFree(f(" SITE "cudaFree(p)))));");
    becomes_in_program("host_work(5);", UNREAD "host_work(5));");
}

static void other_names_and_other_peoples_functions_are_left_alone(void **state)
{
    (void)state;
    becomes_in_program(
        "cudaCheck(1); mine::cudaFree(p); a.cudaFree(p); b->cudaFree(p); &cudaFree;",
        "cudaCheck(1); mine::cudaFree(p); a.cudaFree(p); b->cudaFree(p); &cudaFree;");
    unchanged("prefetch(1); host_work(2); cudaFree(3);");
}

static void system_headers_are_left_alone(void **state)
{
    (void)state;
    unchanged(
        "# 1 \"/usr/include/x.h\" 1 3 4\nint cudaFree(); k<<<1, 2>>>(); __global__ void k() { }\n");
    /* A pragma with a string in it is no marker, and does not end the header. */
    unchanged(
        "# 1 \"/usr/include/x.h\" 1 3 4\n#pragma GCC diagnostic ignored \"-Wall\"\nint cudaFree(); k<<<1, 2>>>();\n");
}

static void our_headers_lose_their_folder(void **state)
{
    (void)state;
    becomes("# 7 \"/home/me/include/streams.h\" 3\n# 8 \"/home/me/x.cu\"\n",
            "# 7 \"streams.h\" 3\n# 8 \"/home/me/x.cu\"\n");
}

static void attributes_hide_no_access(void **state)
{
    (void)state;
    becomes("__attribute__((noinline, no_sanitize_thread)) int f();",
            "__attribute__((noinline, unused)) int f();");
    becomes("__attribute__((__no_sanitize__(\"thread\"))) int f();",
            "__attribute__((unused)) int f();");
    becomes("[[gnu::no_sanitize(\"thread\",\n\"address\")]] int f();",
            "[[gnu::unused\n]] int f();");
    becomes("[[using gnu: no_sanitize(\"thread\")]] int f();", "[[using gnu: unused]] int f();");
    unchanged(
        "int no_sanitize_thread = 3; int g(int); int x = g(no_sanitize_thread) + (no_sanitize_thread, 1);");
}

static void what_is_judged_has_no_instructions_that_are_not_seen(void **state)
{
    (void)state;
    is_refused_with(
        true, "int f() { asm volatile(\"movl (%0), %%eax\" :: \"r\"(p)); }",
        "x.cu:1: error: assembly of the host: no hazard is seen in it, so a program that is judged can have none\n");
    is_refused_with(
        true, "\nasm(\"f: ret\");",
        "x.cu:2: error: assembly of the host: no hazard is seen in it, so a program that is judged can have none\n");
    is_refused_with(
        true, "void f() { _mm_stream_si32(p, 1); }",
        "x.cu:1: error: _mm_stream_si32() is an instruction of this machine's processor: no hazard is seen in it, so a program that "
        "is judged can have none\n");
    is_refused_with(true, "int f() { asm volatile(\"\" ::: \"memory\"); int mm_ = 3; }", "");
    is_refused_with(
        true, "int f() { asm volatile(\"pause\"); _mm_pause(); __builtin_ia32_pause(); }", "");
    is_refused_with(
        true,
        "__attribute__((section(\".text\"))) const char c[] = { 1 }; int section(int); int x = f((section(1)));",
        "x.cu:1: error: a section of the program's own may be code, in which no hazard is seen: a program that is judged can have none\n");
    is_refused_with(true, "extern \"C\" { int f() asm(\"name\"); }", "");
    is_refused_with(
        true, "int f() { if (x) asm(\"movsb\"); }",
        "x.cu:1: error: assembly of the host: no hazard is seen in it, so a program that is judged can have none\n");
    is_refused_with(true, "__global__ void k() { asm(\"membar.gl;\"); }", "");
    is_refused_with(
        false, "int f() { asm volatile(\"movl (%0), %%eax\" :: \"r\"(p)); _mm_stream_si32(p, 1); }",
        "");
}

static void broken_programs_are_for_the_compiler(void **state)
{
    (void)state;
    unchanged("k<<<1, 2>>>(x");
    unchanged("k<<<1, 2;");
    unchanged("<<<1, 2>>>(x);");
    becomes("__global__ void k(int n) {", " void k(int n) {");
    becomes("__global__", "");
    unchanged("\"never closed");
    unchanged("R\"(never closed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_query_whose_answer_nobody_looks_at_is_marked),
        cmocka_unit_test(a_launch_becomes_a_configuration_and_a_call),
        cmocka_unit_test(where_a_kernel_is_wanted_whatever_is_cast_to_void_is_made_known),
        cmocka_unit_test(a_kernel_may_be_qualified_templated_or_an_expression),
        cmocka_unit_test(a_kernel_cast_to_void_is_made_known),
        cmocka_unit_test(launches_nest_in_arguments),
        cmocka_unit_test(shared_variables_become_the_cores_own),
        cmocka_unit_test(dynamic_shared_memory_becomes_a_pointer),
        cmocka_unit_test(variables_of_the_device_make_themselves_known),
        cmocka_unit_test(functions_of_the_device_are_functions),
        cmocka_unit_test(reading_a_special_register_becomes_a_call),
        cmocka_unit_test(code_of_the_device_calls_little_of_the_runtime),
        cmocka_unit_test(code_of_the_device_calls_no_function_of_the_host),
        cmocka_unit_test(a_launch_ends_with_a_semicolon),
        cmocka_unit_test(an_instruction_of_ptx_becomes_an_expression),
        cmocka_unit_test(shifts_and_casts_of_kernels_are_clamped),
        cmocka_unit_test(what_is_volatile_goes_in_step),
        cmocka_unit_test(lines_stay_where_they_are),
        cmocka_unit_test(shifts_and_templates_are_no_launches),
        cmocka_unit_test(a_kernel_holds_its_arguments_in_a_closure),
        cmocka_unit_test(a_kernel_names_itself_as_its_template_has_it),
        cmocka_unit_test(a_kernel_says_whether_it_has_a_loop),
        cmocka_unit_test(a_declared_kernel_is_an_ordinary_declaration),
        cmocka_unit_test(calls_of_the_runtime_say_where_they_stand),
        cmocka_unit_test(other_names_and_other_peoples_functions_are_left_alone),
        cmocka_unit_test(system_headers_are_left_alone),
        cmocka_unit_test(our_headers_lose_their_folder),
        cmocka_unit_test(attributes_hide_no_access),
        cmocka_unit_test(what_is_judged_has_no_instructions_that_are_not_seen),
        cmocka_unit_test(broken_programs_are_for_the_compiler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
