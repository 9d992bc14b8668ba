/* SPDX-License-Identifier: MIT */
#include "grader/batch/jobs/object.h"

#include <ctype.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <gelf.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/base/environment.h"
#include "grader/base/text.h"
#include "trace/record/memory.h"

#define EARLIEST_FREE 103       /* constructors of this priority and later run after the simulator's */

/* Names in an order that they are found by. */
struct names { char **list; size_t count, capacity; };

static void names_add(struct names *n, const char *name)
{
    MEMORY_GROW(n->list, n->count, n->capacity);
    n->list[n->count++] = strdup(name);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void names_sort(struct names *n)
{
    if (n->count > 0)
        qsort(n->list, n->count, sizeof *n->list, by_text);
}

static bool names_have(const struct names *n, const char *name)
{
    return n->count > 0 && bsearch(&name, n->list, n->count, sizeof *n->list, by_text);
}

static void names_fini(struct names *n)
{
    for (size_t i = 0; i < n->count; i++)
        free(n->list[i]);
    memory_resize(n->list, 0);
}

/* ---- symbols of an object ---- */

struct symbol { const char *name; bool defined, weak, indirect; };

/* Calls `each` for every symbol that is seen outside of the object; false when it says so. */
static bool symbols_of(Elf *elf, bool (*each)(const struct symbol *s, void *context), void *context)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr head;
        Elf_Data *data;
        if (!gelf_getshdr(section, &head) || head.sh_type != SHT_SYMTAB || head.sh_entsize == 0
            || !(data = elf_getdata(section, NULL)))
            continue;
        size_t count = head.sh_size / head.sh_entsize;
        for (size_t i = 0; i < count; i++) {
            GElf_Sym symbol;
            if (!gelf_getsym(data, (int)i, &symbol) || GELF_ST_BIND(symbol.st_info) == STB_LOCAL)
                continue;
            struct symbol s = { .name = elf_strptr(elf, head.sh_link, symbol.st_name),
                                .defined = symbol.st_shndx != SHN_UNDEF,
                                .weak = GELF_ST_BIND(symbol.st_info) != STB_GLOBAL,
                                .indirect = GELF_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC };
            if (s.name && s.name[0] != '\0' && !each(&s, context))
                return false;
        }
    }
    return true;
}

/* Every object in a file: one, or an archive's. */
static bool objects_of(const char *path, bool (*each)(const struct symbol *s, void *context),
                       void *context)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    Elf *file = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL, *elf;
    bool good = file;
    Elf_Cmd command = ELF_C_READ;
    while (good && (elf = elf_begin(fd, command, file))) {
        if (elf_kind(elf) == ELF_K_ELF)
            good = symbols_of(elf, each, context);
        command = elf_next(elf);
        elf_end(elf);
        if (elf_kind(file) != ELF_K_AR)
            break;
    }
    if (file)
        elf_end(file);
    if (fd >= 0)
        close(fd);
    return good;
}

/* ---- the runtime's names ---- */

struct runtime { struct names defined, called, offered; };

static bool note_of_runtime(const struct symbol *s, void *context)
{
    struct runtime *r = context;
    if (s->defined && !s->weak)
        names_add(&r->defined, s->name);
    else if (!s->defined)
        names_add(&r->called, s->name);
    return true;
}

/* Every word of the headers that exercises may include. */
static void read_header(struct runtime *r, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (strcmp(slash, "/driver.h") == 0 || strcmp(slash, "/exchange.h") == 0)
        return;
    FILE *in = fopen(path, "re");
    char word[200];
    while (in && fscanf(in, "%*[^A-Za-z_]") != EOF)
        if (fscanf(in, "%199[A-Za-z0-9_]", word) == 1)
            names_add(&r->offered, word);
    if (in)
        fclose(in);
}

static void runtime_init(struct runtime *r, const struct sandbox *s)
{
    static const char *const headers[] = { "common/*.h", "common/sim/include/*.h",
                                           "common/sim/include/*/*.h" };
    *r = (struct runtime){ .defined.list = NULL };
    char *path = sandbox_path(s, true, SANDBOX_TOOLCHAIN, "build/lib/libsim.a");
    if (!objects_of(path, note_of_runtime, r))
        die("cannot read %s", path);
    free(path);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        glob_t found;
        char *pattern = sandbox_path(s, true, SANDBOX_TOOLCHAIN, "%s", headers[i]);
        if (glob(pattern, 0, NULL, &found) == 0) {
            for (size_t k = 0; k < found.gl_pathc; k++)
                read_header(r, found.gl_pathv[k]);
            globfree(&found);
        }
        free(pattern);
    }
    names_sort(&r->defined), names_sort(&r->called), names_sort(&r->offered);
}

static void runtime_fini(struct runtime *r)
{
    names_fini(&r->defined), names_fini(&r->called), names_fini(&r->offered);
}

/* ---- judging ---- */

struct looking { const struct runtime *runtime; char *why; size_t size; };

static bool refuse(struct looking *l, const char *what, const char *name, const char *because)
{
    char *shown = text_harmless(name, strlen(name));
    snprintf(l->why, l->size, "it %s %.100s, %s", what, shown, because);
    memory_resize(shown, 0);
    return false;
}

static bool kept_by_cuda(const char *name)
{
    static const char *const prefixes[] = { "cuda", "__cuda", "cupti", "CUpti", "nvtx", "__nv_" };
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return name[0] == 'c' && name[1] == 'u' && isupper((unsigned char)name[2]);
}

static bool is_mangled(const char *name)
{
    return strncmp(name, "_Z", 2) == 0;
}

static bool look_at(const struct symbol *s, void *context)
{
    struct looking *l = context;
    const struct runtime *r = l->runtime;
    if (s->defined && s->indirect)
        return refuse(l, "chooses", s->name,
                      "when it is loaded (an ifunc), which runs before anything is watched");
    if (s->defined && strcmp(s->name, "main") == 0)
        return refuse(l, "defines", s->name, "which is the lesson's driver's");
    if (s->defined && (names_have(&r->defined, s->name) || kept_by_cuda(s->name)))
        return refuse(l, "defines", s->name, "a name of the runtime's");
    if (s->defined && names_have(&r->called, s->name) && !(s->weak && is_mangled(s->name)))
        return refuse(l, "defines", s->name, "which the runtime itself calls");
    if (!s->defined && names_have(&r->defined, s->name) && !names_have(&r->offered, s->name)
        && !dlsym(RTLD_DEFAULT, s->name))
        return refuse(l, "calls", s->name, "which is not an exercise's to call");
    return true;
}

/* Code that would run before the simulator's. */
static bool look_for_early_code(const char *path, struct looking *l)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    Elf_Scn *section = NULL;
    size_t names;
    bool good = elf && elf_getshdrstrndx(elf, &names) == 0;
    while (good && (section = elf_nextscn(elf, section))) {
        GElf_Shdr head;
        const char *name =
            gelf_getshdr(section, &head) ? elf_strptr(elf, names, head.sh_name) : NULL;
        if (!name)
            continue;
        bool early = head.sh_type == SHT_PREINIT_ARRAY || strcmp(name, ".preinit_array") == 0
                     || strcmp(name, ".init") == 0
                     || (strncmp(name, ".init_array.", 12) == 0 && atoi(name + 12) < EARLIEST_FREE)
                     || (strncmp(name, ".ctors", 6) == 0);
        if (early)
            good = refuse(l, "has a section", name, "whose code runs before anything is watched");
    }
    if (elf)
        elf_end(elf);
    if (fd >= 0)
        close(fd);
    return good;
}

bool object_allowed(const struct sandbox *s, const char *object, char *why, size_t size)
{
    struct runtime r;
    struct looking l = { &r, why, size };
    elf_version(EV_CURRENT);
    runtime_init(&r, s);
    snprintf(why, size, "its object cannot be read");
    bool good = look_for_early_code(object, &l) && objects_of(object, look_at, &l);
    if (good)
        why[0] = '\0';
    runtime_fini(&r);
    return good;
}
