/* SPDX-License-Identifier: MIT */
/* What the rewriter makes of variables, functions and instructions of the device. */
#include "rewriting.h"

#define HAS_ROOM(store, x) "static_assert(sizeof(" x ")<=49152,\"more __shared__ memory than a block has\");" store " struct sim_shared sim_" x ";"
#define IS_REACHED(x) "if(!sim_" x ".__reached)::sim_shared_reach(&sim_" x ",(void*)&" x ",sizeof(" x "));"
#define IS_SHARED(store) store " int x;" HAS_ROOM(store, "x") IS_REACHED("x")
#define BLOCKS_REACH(x) "static const int sim_outer_" x " __attribute__((unused))=::sim_shared_outer([]{" IS_REACHED(x) "});"
#define IS_OUTER(store, x) HAS_ROOM(store, x) BLOCKS_REACH(x)

static void shared_variables_become_the_cores_own(void **state)
{
    (void)state;
    becomes("f() { __shared__ int x; }", "f() { " IS_SHARED("static thread_local") " }");
    becomes_with(true, "f() { __shared__ int x; }", "f() { " IS_SHARED("static") " }");
}

static void blocks_reach_shared_variables_outside_of_functions_as_they_begin(void **state)
{
    (void)state;
    becomes("namespace a { __shared__ A<int, 3> x[2]; }",
            "namespace a { static thread_local A<int, 3> x[2];" IS_OUTER("static thread_local", "x") " }");
    becomes_with(true, "__shared__ int x, y[2];",
                 "static int x, y[2];" IS_OUTER("static", "x") IS_OUTER("static", "y"));
    becomes("extern \"C\" { static __shared__ int x; }",
            "extern \"C\" { static  thread_local int x;" IS_OUTER("static thread_local", "x") " }");
    becomes("template <typename T> __shared__ T x;",
            "template <typename T> static thread_local T x;");
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
#define MANAGED "__attribute__((__section__(\"sim_managed\")))"

static void variables_of_the_device_make_themselves_known(void **state)
{
    (void)state;
    becomes("__device__ int x, y[2] = { 1, 2 };", " int x, y[2] = { 1, 2 };" KNOWN("x") KNOWN("y"));
    becomes("namespace { static __constant__ A<1, 2> x; }",
            "namespace { static  A<1, 2> x;" KNOWN_BY("sim_constant", "x") " }");
    becomes("extern \"C\" __device__ int x;", "extern \"C\"  int x;" KNOWN("x"));
    becomes("extern __device__ int x;", "extern  int x;");
    becomes("template <class T> __device__ T x;", "template <class T>  T x;");
    becomes("__managed__ int x; static __device__ __managed__ int y;",
            MANAGED " int x;" KNOWN_BY("sim_managed_variable", "x") " static  " MANAGED
                    " int y;" KNOWN_BY("sim_managed_variable", "y"));
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

#define NO_RUNTIME "x.cu:1: error: cudaStreamQuery is called by device code: simcc has only the host's runtime (book, \"What it does not do\")\n"

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
        "x.cu:2: error: cudaDeviceSynchronize is called by device code: CUDA 12 removed it there, and simcc does not have it (book, "
        "\"What it does not do\")\n");
}

static void none_is_refused(const char *const *texts)
{
    for (; *texts; texts++)
        is_refused(*texts, "");
}

#define HOSTS(f) "x.cu:1: error: " f " is a host function, and this is device code, which can call only __device__ functions\n"

/* Functions of the program: spaces.sh. */
static void code_of_the_device_calls_no_library_of_the_host(void **state)
{
    (void)state;
    is_refused("__global__ void k(int *p) { *p = rand(); }", HOSTS("rand"));
    is_refused(
        "__global__ void k() { std::vector<int> v; }",
        "x.cu:1: error: std::vector is host code, and this is device code: nvcc refuses it, and so does simcc\n");
    static const char *const fine[] = {
        "__global__ void k(s *p) { p->rand(); s::rand(); auto rand = [] (int x) { }; rand(3); }",
        "__global__ void k() { printf(\"\"); malloc(3); }",
        "int f(int x); void g() { f(1); std::string s; rand(); }",
        "__device__ int rand(); __global__ void k() { rand(); std::min(1, 2); }",
        NULL,
    };
    none_is_refused(fine);
}

static void kernels_return_nothing_and_throw_nothing(void **state)
{
    (void)state;
    is_refused("\n__global__ int k(int *p) { return 1; }",
               "x.cu:2: error: a kernel must return void\n");
    is_refused("__device__ void f() { throw 1; }",
               "x.cu:1: error: throw is for host code, and this is device code, which has no exceptions\n");
    static const char *const fine[] = {
        "template <int N> static __global__ void __launch_bounds__(int(N)) k(int *p, float x) { } template __global__ void k<int(3)>(int *, float);",
        "template <class T> __global__ typename std::enable_if<sizeof(int) == 4, void>::type k(T x) { }",
        "template <class T> __global__ when<T, int> k(T x) { }",
        "void f() { try { k<<<1, 2>>>(1); } catch (int) { throw 1; } }",
        "__host__ __device__ void f() { throw 1; }",
        NULL,
    };
    none_is_refused(fine);
}

static void an_instruction_of_ptx_becomes_an_expression(void **state)
{
    (void)state;
    becomes(
        "__device__ void f() { asm(\"popc.b32 %0, %1;\" : \"=r\"(a[i]) : \"r\"(b + 1)); }",
        " void f() { ::__sim::__ptx_out((a[i]),::__popc(::__sim::__ptx_in<unsigned>((b + 1)))); }");
    becomes(
        "__device__ void f() { asm volatile(\"{ \\n\\t\" \"st.global.u32 [%0 + 4], 7;}\" :: \"l\"(p)); }",
        " void f() { (((unsigned volatile*)((char*)(p)+4))[0]=::__sim::__ptx_in<unsigned>(7),::__sim::__polled(false)); }");
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

static void the_number_of_a_thread_is_nothing_to_look_at(void **state)
{
    (void)state;
    becomes(
        "__device__ int f(K *k) { return threadIdx.x<<k->n == blockIdx.y*gridDim.z && blockDim.x; }",
        " int f(K *k) { return ::__sim::__own(threadIdx.x)<<::__sim::__left<<k->n == "
        "::__sim::__own(blockIdx.y)*::__sim::__own(gridDim.z) && ::__sim::__own(blockDim.x); }");
    becomes(
        "__device__ void f(K k) { g(&threadIdx.x, threadIdx, k.gridDim.x, ::blockDim.x); }",
        " void f(K k) { g(&threadIdx.x, threadIdx, k.gridDim.x, ::blockDim.x); }");
    becomes(
        "__device__ void f() { K blockDim; blockDim.x = 1; blockDim.y += 1; blockDim.x++; --blockDim.z; blockDim.x(); }",
        " void f() { K blockDim; blockDim.x = 1; blockDim.y += 1; blockDim.x++; --blockDim.z; blockDim.x(); }");
    becomes("__device__ int f() { return i%blockDim.x<blockIdx.y; }",
            " int f() { return i% ::__sim::__own(blockDim.x)<::__sim::__own(blockIdx.y); }");
    becomes("__device__ int f() { return a ? 2:threadIdx.x <= 1 ? threadIdx.w : threadIdx.z == 1; }",
            " int f() { return a ? 2: ::__sim::__own(threadIdx.x) <= 1 ? threadIdx.w : ::__sim::__own(threadIdx.z) == 1; }");
    unchanged("int f(dim3 blockDim) { return blockDim.x; }");
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
    becomes("__global__ void k(volatile int *s) {s[0] = 1;}",
            " void k(volatile int *s) {" NAMES_ITSELF("volatile int *s", "k")
            "::__sim::__body(\"k\",[=]()mutable{::__sim::__put(s[0]) = 1;::__sim::__step();});}");
    becomes("__device__ void f() { asm volatile(\"\"); x = 1; }",
            " void f() { ((void)0); x = 1; }");
    unchanged("void f() { volatile int x; x = 1; }");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_variables_become_the_cores_own),
        cmocka_unit_test(blocks_reach_shared_variables_outside_of_functions_as_they_begin),
        cmocka_unit_test(dynamic_shared_memory_becomes_a_pointer),
        cmocka_unit_test(variables_of_the_device_make_themselves_known),
        cmocka_unit_test(functions_of_the_device_are_functions),
        cmocka_unit_test(reading_a_special_register_becomes_a_call),
        cmocka_unit_test(code_of_the_device_calls_little_of_the_runtime),
        cmocka_unit_test(code_of_the_device_calls_no_library_of_the_host),
        cmocka_unit_test(kernels_return_nothing_and_throw_nothing),
        cmocka_unit_test(an_instruction_of_ptx_becomes_an_expression),
        cmocka_unit_test(shifts_and_casts_of_kernels_are_clamped),
        cmocka_unit_test(the_number_of_a_thread_is_nothing_to_look_at),
        cmocka_unit_test(what_is_volatile_goes_in_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
