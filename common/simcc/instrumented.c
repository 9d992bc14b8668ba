/* SPDX-License-Identifier: MIT */
#include "simcc/instrumented.h"
#include "simcc/process/temporary.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/race/instrumented.h"

/* The assembler then takes the one symbol for the other, the compiler's own calls included. */
const char instrumented_text[] = "\nasm(\""
                                 "memcpy=sim_seen_memcpy\\n"
                                 "memmove=sim_seen_memmove\\n"
                                 "mempcpy=sim_seen_mempcpy\\n"
                                 "bcopy=sim_seen_bcopy\\n"
                                 "memset=sim_seen_memset\\n"
                                 "bzero=sim_seen_bzero\\n"
                                 "memcmp=sim_seen_memcmp\\n"
                                 "memchr=sim_seen_memchr\\n"
                                 "strlen=sim_seen_strlen\\n"
                                 "strnlen=sim_seen_strnlen\\n"
                                 "strcpy=sim_seen_strcpy\\n"
                                 "strncpy=sim_seen_strncpy\\n"
                                 "strcmp=sim_seen_strcmp\\n"
                                 "strncmp=sim_seen_strncmp\\n"
                                 "fread=sim_seen_fread\\n"
                                 "fwrite=sim_seen_fwrite\\n"
                                 "read=sim_seen_read\\n"
                                 "write=sim_seen_write\\n"
                                 "free=sim_seen_free\\n"
                                 "realloc=sim_seen_realloc\\n"
                                 "malloc=sim_seen_malloc\\n"
                                 "calloc=sim_seen_calloc\\n"
                                 "_Znwm=sim_seen_new\\n"
                                 "_Znam=sim_seen_new_array\\n"
                                 "_ZdlPv=sim_seen_delete\\n"
                                 "_ZdlPvm=sim_seen_delete_sized\\n"
                                 "_ZdaPv=sim_seen_delete_array\\n"
                                 "_ZdaPvm=sim_seen_delete_array_sized"
                                 "\");\n";

/* What g++ knows of the functions that it has called at each load and store. Unknown ones may
 * change what any function may, so that a kernel's sums would go to its stack and back around each
 * look. As aliases of functions that it has compiled before all others (no_reorder), they change
 * what these do, and no more (-fipa-ra): %rcx and %rsi, which a look needs. Each source has its own
 * (.local): one that was compiled in another way may change more. They are called where there is
 * no room for a look; what a look calls keeps the rest (sim/race/seen/look.c), but for parts of
 * vectors that are wider than 16 bytes: a source that may have some goes without these, and so
 * does one that is compiled for debugging, where g++ does not look (-fipa-ra is of -O2). */
#ifdef __x86_64__
#define KEPT(name) \
    "static __attribute__((section(\"sim_seen\"), no_reorder, used, noinline, noclone, no_instrument_function)) " \
    "void sim_looks_" name "(void *at) { " \
    "void *pc = __builtin_return_address(0); " \
    "asm volatile(\"callq sim_kept_" name "\" : \"+S\"(pc) : \"D\"(at) : \"rcx\", \"cc\", \"memory\"); } " \
    "extern \"C\" void __builtin___tsan_" name "(void *) __attribute__((alias(\"sim_looks_" name "\"))); " \
    "asm(\".local __tsan_" name "\");\n"
const char instrumented_kept[] =
    "\n# 1 \"<simcc>\" 3\n"
    "asm(\".set sim_keeps, 1\");\n"
    "extern \"C\" {\n" KEPT("read1") KEPT("read2") KEPT("read4") KEPT("read8") KEPT("read16")
        KEPT("write1") KEPT("write2") KEPT("write4") KEPT("write8") KEPT("write16")
            KEPT("volatile_read1") KEPT("volatile_read2") KEPT("volatile_read4")
                KEPT("volatile_read8") KEPT("volatile_read16") "}\n";
#undef KEPT
#else
const char instrumented_kept[] = "";
#endif

/* In the assembler, a call of what sees a plain load or store, or a volatile load, becomes a look
 * at the instruction's own open run (struct open_run of sim/race/seen/open_run.h, in a variable of
 * the thread): does the access follow the run, in known memory, or lie in it? Only if not is there
 * a call. A volatile load that repeats the one before counts itself (sim_seen_repeats of tsan.c).
 * Most accesses follow the run. The other cases lie after the function (.subsection), and tell what
 * they call where the program goes on. Each run takes room in every thread,
 * so that a source has 4,096 of them at most. */
#ifdef __x86_64__
#define INSTEAD(name, macro, rest) ".ifc \\\\what,__tsan_" name "\\n" macro " " name ", " rest "\\n" ".exitm\\n" ".endif\\n"
#define PLAIN(name, bytes) INSTEAD(name, "sim_seen", bytes)
#define VOLATILE(bytes, move, to) INSTEAD("volatile_read" bytes, "sim_seen_again", bytes ", " move ", " to)
#define RUN "sim_seen_runs@tpoff + sim_seen_run"
/* With instrumented_kept registers are kept, and else a call may change what any may. */
#define CALL ".ifdef sim_keeps\\n" "callq sim_seen_\\\\name\\n" ".else\\n" "callq sim_called_\\\\name\\n" ".endif\\n"
const char instrumented_inline[] =
    "\nasm(\""
    ".set sim_seen_run, 0\\n"
    ".pushsection .tbss.sim_seen, \\\"awT\\\", @nobits\\n"
    ".balign 32\\n"
    "sim_seen_runs:\\n"
    ".skip 40\\n"
    ".popsection\\n"

    ".macro sim_seen_run_more\\n"
    ".set sim_seen_run, sim_seen_run + 40\\n"
    ".pushsection .tbss.sim_seen\\n"
    ".skip 40\\n"
    ".popsection\\n"
    ".endm\\n"

    ".macro sim_seen name, bytes\\n"
    "sim_seen_run_more\\n"
    "leaq \\\\bytes(%rdi), %rcx\\n"
    "cmpq %fs:" RUN " + 16, %rdi\\n"
    "jne .Lsim_within\\\\@\\n"
    "cmpq %fs:" RUN " + 24, %rcx\\n"
    "ja .Lsim_anew\\\\@\\n"
    "movq %rcx, %fs:" RUN " + 16\\n"
    ".Lsim_seen\\\\@:\\n"
    ".subsection 1\\n"
    ".Lsim_within\\\\@:\\n"
    "cmpq %fs:" RUN " + 8, %rdi\\n"
    "jb .Lsim_anew\\\\@\\n"
    "cmpq %fs:" RUN " + 16, %rcx\\n"
    "jbe .Lsim_seen\\\\@\\n"
    ".Lsim_anew\\\\@:\\n"
    "movq %fs:0, %rsi\\n"
    "leaq " RUN "(%rsi), %rsi\\n"
    "leaq .Lsim_seen\\\\@(%rip), %rcx\\n"
    CALL
    "jmp .Lsim_seen\\\\@\\n"
    ".subsection 0\\n"
    ".endm\\n"

    ".macro sim_seen_again name, bytes, move, to\\n"
    "sim_seen_run_more\\n"
    "movq %fs:0, %rsi\\n"
    "leaq \\\\bytes(%rdi), %rcx\\n"
    "cmpq sim_seen_repeats@tpoff(%rsi), %rdi\\n"
    "jne .Lsim_anew\\\\@\\n"
    "cmpq " RUN " + 8(%rsi), %rdi\\n"
    "jb .Lsim_anew\\\\@\\n"
    "cmpq " RUN " + 16(%rsi), %rcx\\n"
    "ja .Lsim_anew\\\\@\\n"
    "\\\\move (%rdi), \\\\to\\n"
    "cmpq sim_seen_repeats@tpoff + 8(%rsi), %rcx\\n"
    "jne .Lsim_anew\\\\@\\n"
    "subq $1, sim_seen_repeats@tpoff + 16(%rsi)\\n"
    "js .Lsim_anew\\\\@\\n"
    ".Lsim_seen\\\\@:\\n"
    ".subsection 1\\n"
    ".Lsim_anew\\\\@:\\n"
    "leaq " RUN "(%rsi), %rsi\\n"
    "leaq .Lsim_seen\\\\@(%rip), %rcx\\n"
    CALL
    "jmp .Lsim_seen\\\\@\\n"
    ".subsection 0\\n"
    ".endm\\n"

    ".macro call what:vararg\\n"
    ".if sim_seen_run < 40 * 4096\\n" PLAIN("read4", "4") PLAIN("write4", "4") PLAIN("read8", "8")
        PLAIN("write8", "8") PLAIN("read1", "1") PLAIN("write1", "1") PLAIN("read2", "2")
            PLAIN("write2", "2") PLAIN("read16", "16") PLAIN("write16", "16")
                VOLATILE("4", "movl", "%ecx") VOLATILE("8", "movq", "%rcx")
                    VOLATILE("1", "movzbl", "%ecx")
                        VOLATILE("2", "movzwl", "%ecx") ".endif\\n"
                                                        "callq \\\\what\\n"
                                                        ".endm"
                                                        "\");\n";
#undef INSTEAD
#undef PLAIN
#undef VOLATILE
#undef RUN
#undef CALL
#else
const char instrumented_inline[] = "";
#endif

/* A library's variables of a thread lie elsewhere, and another syntax of the assembler reads
 * otherwise. */
static bool is_inlined(const struct job *job)
{
    for (size_t i = 0; i < job->compile.count; i++)
        if (strncmp(job->compile.list[i], "-masm", 5) == 0
            || strncmp(job->compile.list[i], "-flto", 5) == 0)
            return false;
    return !job->position_independent;
}

bool instrumented_says(const struct bytes *text, const char *word)
{
    const char *at = text->at, *end = text->at + text->count;
    size_t length = strlen(word);
    while ((at = memmem(at, (size_t)(end - at), word, length))) {
        at += length;
        while (at < end && strchr("_clones (0123456789,", *at))
            at++;
        if (at < end && *at == '"')
            return true;
    }
    return false;
}

/* May it have vectors that are wider than what a look keeps (sim/race/seen/look.c)? That is what
 * -mavx says, __attribute__((target("avx"))) and #pragma GCC target "avx". */
bool instrumented_has_targets(const struct job *job, const struct bytes *text)
{
    for (size_t i = 0; i < job->compile.count; i++)
        if (strncmp(job->compile.list[i], "-m", 2) == 0)
            return true;
    return instrumented_says(text, "target");
}

void instrumented_add(const struct job *job, const struct bytes *text, bool optimises,
                      struct bytes *out)
{
    bytes_add(out, instrumented_text, strlen(instrumented_text));
    if (!is_inlined(job))
        return;
    bytes_add(out, instrumented_inline, strlen(instrumented_inline));
    if (optimises && !instrumented_has_targets(job, text))
        bytes_add(out, instrumented_kept, strlen(instrumented_kept));
}

const char *instrumented_which(bool instrumented)
{
    return instrumented ? "namespace __sim { namespace { const bool __instrumented = true; } }\n"
                        : "namespace __sim { namespace { const bool __instrumented = false; } }\n";
}

void instrumented_options(struct words *command)
{
    static const char *const options[] = {
        "-fsanitize=thread", "--param", "tsan-instrument-func-entry-exit=0", "--param",
        "tsan-distinguish-volatile=1", "-Wno-tsan",
        /* Else short ones become instructions that nothing is told of. */
        "-fno-builtin-memcpy", "-fno-builtin-memmove", "-fno-builtin-memset", "-fno-builtin-memcmp",
        "-fno-builtin-strcpy", "-fno-builtin-strncpy", "-fno-builtin-strcmp",
        "-fno-builtin-strncmp",
        "-fno-builtin-strlen", "-fno-builtin-strnlen", "-fno-builtin-mempcpy", "-fno-builtin-bcopy",
        "-fno-builtin-bzero",
    };
    WORDS_ADD_LIST(command, options);
}

static FILE *must_open(const char *path, const char *mode)
{
    FILE *file = fopen(path, mode);
    if (!file)
        trouble("%s: %s", path, strerror(errno));
    return file;
}

static void copy_bytes(FILE *from, FILE *to, uint64_t bytes, const char *path)
{
    char buffer[65536];
    while (bytes > 0) {
        size_t n = fread(buffer, 1, bytes < sizeof buffer ? (size_t)bytes : sizeof buffer, from);
        if (n == 0)
            break;
        fwrite(buffer, 1, n, to);
        bytes -= n;
    }
    if (bytes > 0 || ferror(to) || fflush(to) != 0)
        temporary_trouble(path);
}

void instrumented_append(const char *file, const char *copy)
{
    FILE *from = must_open(copy, "r"), *to = must_open(file, "a");
    fseek(from, 0, SEEK_END);
    struct instrumented_tail_tail tail = { (uint64_t)ftell(from), INSTRUMENTED_TAIL_MAGIC };
    rewind(from);
    copy_bytes(from, to, tail.bytes, file);
    fwrite(&tail, sizeof tail, 1, to);
    if (fclose(to) != 0)
        temporary_trouble(file);
    fclose(from);
    unlink(copy);
}

bool instrumented_extract(const char *file, const char *copy)
{
    struct instrumented_tail_tail tail;
    FILE *from = fopen(file, "r");
    if (!from)
        return false;
    bool found = fseek(from, -(long)sizeof tail, SEEK_END) == 0
                 && fread(&tail, sizeof tail, 1, from) == 1 && tail.magic == INSTRUMENTED_TAIL_MAGIC
                 && fseek(from, -(long)(sizeof tail + tail.bytes), SEEK_END) == 0;
    if (found) {
        FILE *to = must_open(copy, "w");
        copy_bytes(from, to, tail.bytes, copy);
        fclose(to);
    }
    fclose(from);
    return found;
}
