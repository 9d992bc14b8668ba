/* SPDX-License-Identifier: MIT */
/* What the rewriter makes of launches, calls and lines; test_rewrite_device.c has code of the
 * device. */
#include "rewriting.h"

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
        { "{ int e = (int)(", " | g(2)); (void)e; }" }, { "{ int e = g(1) | (int)", "; }" },
        { "; g(1) + ", ";" }, { "{ bool e = g(1) == 0 && ", " == cudaSuccess; }" },
        { "; ", ", g(2);" }, { "; streams_check((g(1)), 0), ", ";" }, { "; x = g(1), ", ";" },
        { "{ cudaError_t e; e = ", "; e = g(1); h(e); }" },
        { "{ int e = 0; if (x) e = ", "; { f(); } (void)e; e = g(1); h(e); }" },
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
        { "{ int e = ", " | g(2); h(e); }" }, { "; ", " && g(2);" }, { "{ int e = h(", " | g(2)); }" },
        { "; h(g(1), ", ");" }, { "; return g(1), ", ";" }, { "; int e[] = { g(1), ", " };" },
        { "; int e[] = { ", ", g(2) };" },
        { "{ cudaError_t e; e = ", "; if (x) e = g(1); h(e); }" },
        { "{ cudaError_t e; e = ", "; { h(e); } e = g(1); }" },
        { "{ cudaError_t e; e = ", "; if (x) return; e = g(1); h(e); }" },
        { "{ cudaError_t e; for (;;) { e = ", "; } e = g(1); h(e); }" },
        { "{ cudaError_t e; int *p = &e; e = ", "; h(p); e = g(1); }" },
        { "{ cudaError_t e; auto h = [&] { return e; }; e = ", "; h(); e = g(1); }" },
        { "{ e = ", "; h(); e = g(1); h(e); }" }, { "{ auto e = g(); x->e = ", "; e = g(1); h(e); }" },
        { "{ cudaError_t e; e = ", "; e = g(e); }" },
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

static void a_query_for_which_an_error_is_done_is_marked(void **state)
{
    (void)state;
    static const char *const half[][2] = {
        { "{ while (", " == cudaErrorNotReady) f(); }" }, { "{ if (cudaErrorNotReady != ", ") f(); }" },
        { "{ return ((", ")) != cudaErrorNotReady; }" },
        { "{ int e; while ((e = ", ") == cudaErrorNotReady) f(); }" },
        { "{ auto e = ", "; if (e != cudaErrorNotReady) { f(); } }" },
        { "{ int e; while ((e = ", ") == cudaErrorNotReady) f(); (void)e; }" },
        { "{ int e; while ((e = ", ") == cudaErrorNotReady) f(); if (e != cudaSuccess) fprintf(o, \"%s\", "
          "cudaGetErrorString(e)); }" },
        { "{ int e; while ((e = ", ") == cudaErrorNotReady) f(); if (e) { std::printf(\"\"); puts(x); } }" },
        { "{ int e; while ((e = ", ") == cudaErrorNotReady) f(); if (e == cudaErrorUnknown) g(e); }" },
    };
    static const char *const whole[][2] = {
        { "{ while (", " != cudaSuccess) f(); }" },
        { "{ int e; while ((e = ", ") == cudaErrorNotReady) f(); g(e); }" },
        { "{ auto e = ", "; if (e != cudaErrorNotReady) { f(e); } }" },
        { "{ x->e = ", "; if (x->e == cudaErrorNotReady) f(); }" },
        { "{ auto e = ", "; return e; } int g(int e) { return e == cudaErrorNotReady; }" },
        { "{ int e; while ((e = ", ") == cudaErrorNotReady) f(); f((void *)e); }" },
        { "{ int e; while ((e = ", ") == cudaErrorNotReady) f(); if (e != cudaSuccess) { fprintf(o, s); exit(1); } }" },
        { "{ int e; while ((e = ", ") == cudaErrorNotReady) f(); if (e) printf(s); else g(); }" },
        { "{ int e; while ((e = ", ") == cudaErrorNotReady) f(); if (e == cudaErrorUnknown) g(); else h(e); }" },
    };
    char before[256], after[256];
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < sizeof half / sizeof *half; i++) {
            const char *const *around = k ? whole[i] : half[i];
            snprintf(before, sizeof before, "int h() %scudaStreamQuery(s)%s", around[0], around[1]);
            snprintf(after, sizeof after, "int h() %s%scudaStreamQuery(s))%s", around[0],
                     k ? SITE : HALF_READ, around[1]);
            becomes_in_program(before, after);
        }
}

static void an_error_that_nobody_is_told_of_is_marked(void **state)
{
    (void)state;
    static const struct { const char *before, *after; bool marked; } asks[] = {
        { "{ if (", " != cudaSuccess) return; f(); }", true },
        { "{ if (", ") { return; } f(); }", true },
        { "{ auto e = ", "; if (e != cudaSuccess) return; f(); }", true },
        { "{ if (", " != cudaSuccess) return; else f(); }", false },
        { "{ if (", " != cudaSuccess) { g(); return; } }", false },
        { "{ if (", " == cudaSuccess) return; g(); }", false },
        { "{ if (", " != cudaSuccess) return 1; }", false },
        { "{ auto e = ", "; if (e != cudaSuccess) return; f(e); }", false },
        { "{ while (", " != cudaSuccess) return; }", false },
    };
    char before[256], after[256];
    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++) {
        snprintf(before, sizeof before, "void h() %scudaGetLastError()%s", asks[i].before,
                 asks[i].after);
        snprintf(after, sizeof after, "void h() %s%scudaGetLastError())%s", asks[i].before,
                 asks[i].marked ? HALF_READ : SITE, asks[i].after);
        becomes_in_program(before, after);
    }
}

static void a_wait_that_gives_up_unheard_is_marked(void **state)
{
    (void)state;
    static const struct { const char *text; bool marked; } waits[] = {
        { "; sem_timedwait(&s, &t);", true },
        { "{ int e = sem_clockwait(&s, 1, &t); }", true },
        { "; p->s[k].try_acquire_for(d);", true },
        { "; changed.wait_until(hold, d, [&] { return x; });", true },
        { "while (x) { sem_timedwait(&s, &t); f(); }", true },
        { "while (!x) sem_timedwait(&s, &t);", false },
        { "while (!x) { sem_timedwait(&s, &t); }", false },
        { "while (sem_timedwait(&s, &t) != 0) ;", false },
        { "; if (!s.try_acquire_for(d)) f();", false },
        { "; changed.wait_for(hold, d);", false },
        { "; place.wait_for(other);", false },
        { "; try_acquire_for(d);", false },
    };
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
        for (int judged = 0; judged < 2; judged++) {
            size_t length;
            char *refused, *text = rewrite(waits[i].text, strlen(waits[i].text), own, "",
                                           (struct rewrite_how){ .judged = judged }, &length,
                                           &refused);
            assert_int_equal(strstr(text, "(::sim_gives_up(") ? 1 : 0, judged && waits[i].marked);
            assert_null(refused);
            free(text);
        }
}

static void a_launch_becomes_a_configuration_and_a_call(void **state)
{
    (void)state;
    becomes("k<<<g, b>>>(x, y);", "(::sim_configure_at(g, b),k(x, y));");
    becomes("k <<< g , b , 0 , s >>> ( );", "(::sim_configure_at( g , b , 0 , s ),k ( ));");
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

static void a_judged_kernel_that_is_only_launched_is_not_made_known(void **state)
{
    (void)state;
    static const struct { const char *text; bool known; } programs[] = {
        { "[[maybe_unused]] static __global__ void k(int n) { } void f() { k<<<1, 2>>>(3); ::k<<<1, 2>>>(4); }", false },
        { "__global__ void k(int n) { } void f() { k<<<1, 2>>>(3); }", false },
        { "__global__ void k(int n) { } void f() { }", true },
        { "static __global__ void k(int n) { } void f() { k<<<1, 2>>>(3); g(k); }", true },
        { "static __global__ void k(int n); static __global__ void k(int n) { } void f() { k<<<1, 2>>>(3); }", true },
        { "static __global__ void k(int n) { } void f() { k<<<1, 2>>>(3); cudaGraphKernelNodeGetParams(n, &p); }", true },
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        for (int judged = 0; judged < 2; judged++) {
            size_t length;
            char *refused, *text = rewrite(programs[i].text, strlen(programs[i].text), own, "",
                                           (struct rewrite_how){ .judged = judged }, &length,
                                           &refused);
            assert_int_equal(strstr(text, NAMES_ITSELF("int n", "k")) ? 1 : 0,
                             !judged || programs[i].known);
            free(text);
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
            "return (::sim_configure_at(1, 2),a::k<int, N>());");
    becomes("else ::k<<<1, 2>>>();", "else (::sim_configure_at(1, 2),::k());");
    becomes("p->t[i]<<<1, 2>>>();", "(::sim_configure_at(1, 2),p->t[i]());");
    becomes("x; (f)<<<1, 2>>>();", "x; (::sim_configure_at(1, 2),(f)());");
    becomes("k<A<B<int>>><<<1, 2>>>();", "(::sim_configure_at(1, 2),k<A<B<int>>>());");
}

static void launches_nest_in_arguments(void **state)
{
    (void)state;
    becomes("k<<<f(1, 2), {3, 4}>>>(g(h<<<1, 1>>>(2)));",
            "(::sim_configure_at(f(1, 2), {3, 4}),k(g((::sim_configure_at(1, 1),h(2)))));");
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

static void lines_stay_where_they_are(void **state)
{
    (void)state;
    becomes("k<1,\n2><<<\n1,\n2\n>>>(\nx);\nlast",
            "(::sim_configure_at(\n\n1,\n2\n),k<1, 2>(\nx));\nlast");
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
            "x = 1'000; (::sim_configure_at(1, 2),k()); y = 2'500;");
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
        cmocka_unit_test(a_query_for_which_an_error_is_done_is_marked),
        cmocka_unit_test(an_error_that_nobody_is_told_of_is_marked),
        cmocka_unit_test(a_wait_that_gives_up_unheard_is_marked),
        cmocka_unit_test(a_launch_becomes_a_configuration_and_a_call),
        cmocka_unit_test(where_a_kernel_is_wanted_whatever_is_cast_to_void_is_made_known),
        cmocka_unit_test(a_kernel_may_be_qualified_templated_or_an_expression),
        cmocka_unit_test(a_kernel_cast_to_void_is_made_known),
        cmocka_unit_test(a_judged_kernel_that_is_only_launched_is_not_made_known),
        cmocka_unit_test(launches_nest_in_arguments),
        cmocka_unit_test(a_launch_ends_with_a_semicolon),
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
