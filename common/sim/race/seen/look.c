/* SPDX-License-Identifier: MIT */
/*
 * DESIGN. To g++ a look changes no registers but %rcx and %rsi (simcc/instrumented.c), so that a
 * kernel's sums stay where they are. What a look calls has to keep all others, therefore, and the
 * stack need not be aligned there. Most looks that are not settled in place come back to where
 * their instruction was before (comes_back): for these the vectors' registers need not be saved.
 */
#include "sim/race/seen/look.h"

#include <string.h>

#include "sim/race/seen/exchange_seen.h"
#include "sim/race/seen/initialised.h"
#include "sim/race/seen/shared_seen.h"

#ifdef __x86_64__

/* The line of an instruction that strides: that of its last access or, mostly, the one where it
 * went from there last time. NULL: it is to be looked for. */
static inline LIGHT struct access_line *line_of(struct stride *s, uintptr_t at)
{
    const struct access_lines *l = &open_runs.closed.lines;
    const uintptr_t pc = s->mark & ~KIND_BITS,
                    where = at / ACCESS_LINE * ACCESS_LINE | (s->mark & KIND_BITS);
    uint32_t guess = s->line;
    for (int n = 0; n < 2 && guess < l->count; n++) {
        struct access_line *line = &l->list[guess];
        if (line->at == where && line->pc == pc) {
            s->line = guess;
            return line;
        }
        guess = line->next;
    }
    return NULL;
}

/* What access_see_anew (access_seen.c) does of an access of an instruction that strides, where it
 * is one of many: in a line that is known, of memory that was written. */
static inline LIGHT bool strides_on(uintptr_t at, unsigned bytes, uintptr_t mark)
{
    struct stride *s = stride_place(mark);
    const uintptr_t offset = at - ALLOCATION_LOW;
    const unsigned first = (unsigned)(at % ACCESS_LINE);
    if (s->mark != mark || s->jumps < JUMPS || shared_seen_wanted || exchange_seen_wanted
        || open_runs.promise_count > 0 || offset >= ALLOCATION_SPAN || first % 64 + bytes > 64)
        return false;
    struct access_line *line = line_of(s, at);
    if (!line)
        return false;
    if (offset < initialised_span) {
        uint32_t bits, mask = ((1u << bytes) - 1) << at % 8;
        memcpy(&bits, INITIALISED_BITS + offset / 8, sizeof bits);
        if ((bits & mask) != mask && (mark & WRITES_BIT || (bits & mask) == 0))
            return false;
    }
    line->bytes[first / 64] |= ~UINT64_C(0) >> (64 - bytes) << first % 64;
    s->steps = at == s->end ? (uint16_t)(s->steps + 1) : 0;
    s->end = at + bytes;
    if (s->steps >= STEPS_ON)
        s->jumps = s->steps = 0;
    return true;
}

/* Keeps all registers itself. After a fence each store is looked at. */
static SEEN __attribute__((used, target("general-regs-only"), no_caller_saved_registers)) bool
look_again(uintptr_t at, struct open_run *own, unsigned how, uintptr_t pc)
{
    const bool write = how & LOOK_WRITES;
    const uintptr_t mark = pc | (write ? WRITES_BIT : 0);
    return !(write && open_runs.fenced)
           && (comes_back(own, at, how & LOOK_BYTES, mark)
               || strides_on(at, how & LOOK_BYTES, mark));
}

/* A run of the instruction's own goes on where that is expected (struct open_run), or next. Where
 * it has none, the host's accesses to memory that is not watched are settled, too. */
#define EXPECTED(name, bytes, how, look) \
    "movl $" how ", %edx\n" \
    "movl %edx, %eax\n" \
    "shrl $8, %eax\n" \
    "shlq $63, %rax\n" \
    "orq %rcx, %rax\n" \
    "cmpq (%rsi), %rax\n" \
    "je .Lown_" name "\n" \
    "cmpq access_end(%rip), %rdi\n" \
    "jb .Lelsewhere_" name "\n" \
    "movq shared_seen_wanted@gottpoff(%rip), %rax\n" \
    "movzbl %fs:(%rax), %eax\n" \
    "orb reach_asked(%rip), %al\n" \
    "jne " look "\n" \
    "jmp .Lsettled_" name "\n" \
    ".Lown_" name ":\n" \
    "movq 32(%rsi), %rax\n" \
    "testq %rax, %rax\n" \
    "je .Lelsewhere_" name "\n" \
    "leaq " bytes "(%rdi), %rdx\n" \
    "cmpq (%rax), %rdi\n" \
    "jb .Lnext_" name "\n" \
    "cmpq 8(%rax), %rdx\n" \
    "jbe .Lsettled_" name "\n" \
    "cmpq 8(%rax), %rdi\n" \
    "je .Lfollows_" name "\n" \
    ".Lnext_" name ":\n" \
    "movq 24(%rax), %rax\n" \
    "cmpq (%rax), %rdi\n" \
    "jb .Lelsewhere_" name "\n" \
    "cmpq 8(%rax), %rdx\n" \
    "jbe .Lexpect_" name "\n" \
    "cmpq 8(%rax), %rdi\n" \
    "jne .Lelsewhere_" name "\n" \
    ".Lfollows_" name ":\n" \
    "cmpq 16(%rax), %rdx\n" \
    "ja .Lelsewhere_" name "\n" \
    "movq %rdx, 8(%rax)\n" \
    ".Lexpect_" name ":\n" \
    "movq %rax, 32(%rsi)\n" \
    "jmp .Lsettled_" name "\n" \
    ".Lelsewhere_" name ":\n" \
    "movl $" how ", %edx\n" \
    "callq look_again\n" \
    "testb %al, %al\n" \
    "jne .Lsettled_" name "\n"
#define NOTHING(name, bytes, how, look)

/* %rdi: the address; %rsi: the instruction's own run; %rcx: where the program goes on, and who
 * walks up the stack comes there. */
#define ENTRY(name, bytes, how, ways, look) \
    ".globl sim_" name "\n" \
    ".type sim_" name ", @function\n" \
    "sim_" name ":\n" \
    ".cfi_startproc\n" \
    ".cfi_register %rip, %rcx\n" \
    "pushq %rax\n" \
    ".cfi_def_cfa_offset 16\n" \
    "pushq %rdx\n" \
    ".cfi_def_cfa_offset 24\n" \
    ways(name, bytes, how, look) \
    "movl $" how ", %edx\n" \
    "jmp " look "\n" \
    ".Lsettled_" name ":\n" \
    "popq %rdx\n" \
    ".cfi_def_cfa_offset 16\n" \
    "popq %rax\n" \
    ".cfi_def_cfa_offset 8\n" \
    "retq\n" \
    ".cfi_endproc\n" \
    ".size sim_" name ", . - sim_" name "\n"

/* sim_kept_...: called by a function of the program, its pc in %rsi. sim_called_...: for a source
 * that goes without such functions, and expects of a look what it does of a call. */
#define LOOK(name, bytes, how, ways) \
    __asm__(".pushsection sim_seen, \"ax\", @progbits\n" \
            ".globl sim_kept_" name "\n" \
            ".type sim_kept_" name ", @function\n" \
            "sim_kept_" name ":\n" \
            "movl $" how ", %ecx\n" \
            "jmp sim_kept\n" \
            ".size sim_kept_" name ", . - sim_kept_" name "\n" \
            ENTRY("seen_" name, bytes, how, ways, "sim_look") \
            ENTRY("called_" name, bytes, how, ways, "sim_look_called") \
            ".popsection\n");
#define LOOKS(size) \
    LOOK("read" size, size, size, EXPECTED) LOOK("write" size, size, size " | 0x100", EXPECTED) \
        LOOK("volatile_read" size, size, size " | 0x200", NOTHING)
LOOKS("1") LOOKS("2") LOOKS("4") LOOKS("8") LOOKS("16")

#define VECTORS(what) \
    what("0") what("1") what("2") what("3") what("4") what("5") what("6") what("7") what("8") \
    what("9") what("10") what("11") what("12") what("13") what("14") what("15")
#define SAVE(number) "movaps %xmm" number ", 16 * " number "(%rsp)\n"
#define RESTORE(number) "movaps 16 * " number "(%rsp), %xmm" number "\n"
#define PUSH "pushq %rdi\npushq %r8\npushq %r9\npushq %r10\npushq %r11\n"
#define POP "popq %r11\npopq %r10\npopq %r9\npopq %r8\npopq %rdi\n"

/* The call, with `room` on the stack for what is saved. */
#define ANEW(room, save, arguments, restore) \
    PUSH \
    "subq $" room ", %rsp\n" \
    "andq $-16, %rsp\n" \
    save arguments \
    "callq look_anew\n" \
    restore

/* The rest of an entry. */
#define REST(name, room, save, restore) \
    ".type " name ", @function\n" \
    name ":\n" \
    ".cfi_startproc\n" \
    ".cfi_def_cfa_offset 24\n" \
    ".cfi_register %rip, %rcx\n" \
    "pushq %rbp\n" \
    ".cfi_def_cfa_offset 32\n" \
    ".cfi_offset %rbp, -32\n" \
    "movq %rsp, %rbp\n" \
    ".cfi_def_cfa_register %rbp\n" \
    "pushq %rcx\n" \
    ".cfi_offset %rip, -40\n" \
    ANEW(room, save, "", restore) \
    "leaq -48(%rbp), %rsp\n" \
    POP \
    "popq %rcx\n" \
    "popq %rbp\n" \
    ".cfi_def_cfa %rsp, 24\n" \
    ".cfi_restore %rbp\n" \
    ".cfi_register %rip, %rcx\n" \
    "popq %rdx\n" \
    ".cfi_def_cfa_offset 16\n" \
    "popq %rax\n" \
    ".cfi_def_cfa_offset 8\n" \
    "retq\n" \
    ".cfi_endproc\n" \
    ".size " name ", . - " name "\n"

__asm__(".pushsection sim_seen, \"ax\", @progbits\n"
        REST("sim_look", "16 * 16", VECTORS(SAVE), VECTORS(RESTORE))
        REST("sim_look_called", "0", "", "")

        ".type sim_kept, @function\n"
        "sim_kept:\n"
        ".cfi_startproc\n"
        "pushq %rbp\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset %rbp, -16\n"
        "movq %rsp, %rbp\n"
        ".cfi_def_cfa_register %rbp\n"
        "pushq %rax\n"
        "pushq %rdx\n"
        ANEW("16 * 16", VECTORS(SAVE), "movl %ecx, %edx\n" "movq %rsi, %rcx\n" "xorl %esi, %esi\n",
             VECTORS(RESTORE))
        "leaq -56(%rbp), %rsp\n"
        POP
        "popq %rdx\n"
        "popq %rax\n"
        "popq %rbp\n"
        ".cfi_def_cfa %rsp, 8\n"
        "retq\n"
        ".cfi_endproc\n"
        ".size sim_kept, . - sim_kept\n"
        ".popsection\n");

#endif
