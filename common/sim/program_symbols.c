/* SPDX-License-Identifier: MIT */
#include "sim/program_symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void each_of(const char *file, size_t bytes,
                    void (*each)(const ElfW(Sym) *symbol, const char *name))
{
    const ElfW(Ehdr) *head = (const void *)file;
    if (bytes < sizeof *head || head->e_shoff + (size_t)head->e_shnum * sizeof(ElfW(Shdr)) > bytes)
        return;
    const ElfW(Shdr) *sections = (const void *)(file + head->e_shoff);
    for (unsigned i = 0; i < head->e_shnum; i++) {
        const ElfW(Shdr) *table = &sections[i];
        if (table->sh_type != SHT_SYMTAB || table->sh_link >= head->e_shnum)
            continue;
        const ElfW(Sym) *symbols = (const void *)(file + table->sh_offset);
        const char *names = file + sections[table->sh_link].sh_offset;
        for (size_t k = 0; k < table->sh_size / sizeof *symbols; k++)
            each(&symbols[k], names + symbols[k].st_name);
    }
}

void program_symbols_each(void (*each)(const ElfW(Sym) *symbol, const char *name))
{
    struct stat s;
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    char *bytes = fstat(file, &s) == 0
                      ? mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, file, 0)
                      : MAP_FAILED;
    close(file);
    if (bytes == MAP_FAILED)
        return;
    each_of(bytes, (size_t)s.st_size, each);
    munmap(bytes, (size_t)s.st_size);
}
