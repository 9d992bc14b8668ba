/* SPDX-License-Identifier: MIT */
/* What instructions of PTX are in C++. Bits stay bits: a register may be an integer or a floating-point number. */
#include "simcc/rewrite/ptx.h"

#include <stdio.h>
#include <string.h>

static bool special_register(const struct ptx *p, char *out, size_t size)
{
    static const char *const registers[][2] = {
        { "%tid.x", "threadIdx.x" }, { "%tid.y", "threadIdx.y" }, { "%tid.z", "threadIdx.z" },
        { "%ntid.x", "blockDim.x" }, { "%ntid.y", "blockDim.y" }, { "%ntid.z", "blockDim.z" },
        { "%ctaid.x", "blockIdx.x" }, { "%ctaid.y", "blockIdx.y" }, { "%ctaid.z", "blockIdx.z" },
        { "%nctaid.x", "gridDim.x" }, { "%nctaid.y", "gridDim.y" }, { "%nctaid.z", "gridDim.z" },
        { "%lanemask_eq", "(1u<<::sim_lane())" }, { "%lanemask_lt", "((1u<<::sim_lane())-1)" },
        { "%lanemask_le", "((2u<<::sim_lane())-1)" }, { "%lanemask_gt", "(~0u<<::sim_lane()<<1)" },
        { "%lanemask_ge", "(~0u<<::sim_lane())" }, { "%globaltimer_lo", "(unsigned)::sim_register_globaltimer()" },
        { "%nwarpid", "64" }, { "%nsmid", "::sim_register_nsmid()" }, { "%laneid", "::sim_register_laneid()" },
        { "%warpid", "::sim_register_warpid()" }, { "%smid", "::sim_register_smid()" }, { "%clock", "::sim_register_clock()" },
        { "%clock64", "::sim_register_clock64()" }, { "%globaltimer", "::sim_register_globaltimer()" },
    };
    char to[PTX_LENGTH];
    if (!ptx_begins(p->opcode, "mov") || p->given_count != 2 || !ptx_operand(p, p->given[0], to, sizeof to))
        return false;
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
        if (strcmp(p->given[1], registers[i][0]) == 0)
            return snprintf(out, size, "%s=%s", to, registers[i][1]) < (int)size;
    return false;
}

/* Those that compute: $t is the type, $1 $2 $3 what is given. */
static bool computes(const struct ptx *p, char *out, size_t size)
{
    static const struct { const char *opcode, *value; } table[] = {
        { "mov", "$1" }, { "cvta", "$1" },
        { "add", "($t)$1+($t)$2" }, { "sub", "($t)$1-($t)$2" }, { "mul.lo", "($t)$1*($t)$2" }, { "mul.wide.u32", "(unsigned long long)$1*$2" },
        { "mul.wide.s32", "(long long)(int)$1*(int)$2" }, { "mul.wide.u16", "(unsigned)$1*$2" }, { "mul.wide.s16", "(int)(short)$1*(short)$2" },
        { "mul.hi.u32", "::__umulhi($1,$2)" }, { "mul.hi.s32", "::__mulhi($1,$2)" }, { "mul.hi.u64", "::__umul64hi($1,$2)" }, { "mul.hi.s64", "::__mul64hi($1,$2)" },
        { "mad.wide.u32", "(unsigned long long)$1*$2+$3" }, { "mad.wide.s32", "(long long)(int)$1*(int)$2+$3" },
        { "mul.wide", NULL }, { "mul.hi", NULL }, { "mad.lo", "($t)$1*($t)$2+($t)$3" }, { "mul", "($t)$1*($t)$2" }, { "div", "($t)$1/($t)$2" }, { "rem", "($t)$1%($t)$2" },
        { "fma.rn.f32", "__builtin_fmaf($1,$2,$3)" }, { "fma.rn.f64", "__builtin_fma($1,$2,$3)" },
        { "and", "($t)$1&($t)$2" }, { "or", "($t)$1|($t)$2" }, { "xor", "($t)$1^($t)$2" }, { "not", "~($t)$1" }, { "neg", "-($t)$1" },
        { "abs", "($t)$1<0?-($t)$1:($t)$1" }, { "min", "($t)$1<($t)$2?($t)$1:($t)$2" }, { "max", "($t)$1>($t)$2?($t)$1:($t)$2" },
        { "shl", "__sim::__ptx_shl<$t>($1,$2)" }, { "shr", "__sim::__ptx_shr<$t>($1,$2)" },
        { "bfe", "__sim::__ptx_bfe<$t>($1,$2,$3)" }, { "bfi", "__sim::__ptx_bfi<$t>($1,$2,$3,$4)" },
        { "lop3.b32", "__sim::__ptx_lop3($1,$2,$3,$4)" }, { "prmt.b32", "::__byte_perm($1,$2,$3)" },
        { "shf.l.wrap.b32", "::__funnelshift_l($1,$2,$3)" }, { "shf.r.wrap.b32", "::__funnelshift_r($1,$2,$3)" },
        { "shf.l.clamp.b32", "::__funnelshift_lc($1,$2,$3)" }, { "shf.r.clamp.b32", "::__funnelshift_rc($1,$2,$3)" },
        { "popc.b32", "::__popc($1)" }, { "popc.b64", "::__popcll($1)" }, { "clz.b32", "::__clz($1)" }, { "clz.b64", "::__clzll($1)" },
        { "mad.hi.u32", "::__umulhi($1,$2)+$3" }, { "mad.hi.s32", "::__mulhi($1,$2)+$3" },
        { "dp4a.u32.u32", "::__dp4a($1,$2,$3)" }, { "dp4a.s32.s32", "::__dp4a((int)$1,(int)$2,(int)$3)" },
        { "activemask.b32", "::__activemask()" }, { "match.any.sync.b32", "::__match_any_sync($2,$1)" }, { "match.any.sync.b64", "::__match_any_sync((unsigned)$2,$1)" },
        { "redux.sync.add", "::__reduce_add_sync((unsigned)$2,$1)" }, { "redux.sync.min", "::__reduce_min_sync((unsigned)$2,$1)" },
        { "redux.sync.max", "::__reduce_max_sync((unsigned)$2,$1)" }, { "redux.sync.and", "::__reduce_and_sync($2,$1)" },
        { "redux.sync.or", "::__reduce_or_sync($2,$1)" }, { "redux.sync.xor", "::__reduce_xor_sync($2,$1)" },
        { "shfl.sync.idx", "__sim::__ptx_shuffle<0>($1,$2,$3,$4)" }, { "shfl.sync.up", "__sim::__ptx_shuffle<1>($1,$2,$3,$4)" },
        { "shfl.sync.down", "__sim::__ptx_shuffle<2>($1,$2,$3,$4)" }, { "shfl.sync.bfly", "__sim::__ptx_shuffle<3>($1,$2,$3,$4)" },
        { "brev.b32", "::__brev($1)" }, { "brev.b64", "::__brevll($1)" },
        { "ex2.approx", "__builtin_exp2f($1)" }, { "lg2.approx", "__builtin_log2f($1)" }, { "sin.approx", "__builtin_sinf($1)" },
        { "cos.approx", "__builtin_cosf($1)" }, { "rcp", "1/($t)$1" }, { "sqrt", "__builtin_sqrt(($t)$1)" }, { "rsqrt", "1/__builtin_sqrt(($t)$1)" },
    };
    const char *type = ptx_type_of(p->opcode);
    const char *value = NULL;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (ptx_begins(p->opcode, table[i].opcode)) {
            value = table[i].value;
            break;
        }
    static const char *const carries[] = { ".cc", ".sat", ".x2", ".f16", ".bf16", ".rz", ".rm", ".rp" };
    for (size_t i = 0; i < sizeof carries / sizeof *carries; i++)
        if (ptx_has(p->opcode, carries[i]))
            return false;
    char to[PTX_LENGTH];
    if (!type || !value || p->given_count < 1 || !ptx_operand(p, p->given[0], to, sizeof to))
        return false;
    size_t n = (size_t)snprintf(out, size, "::__sim::__ptx_out(%s,", to);
    for (; *value; value++) {
        char text[PTX_LENGTH] = { *value, '\0' };
        bool stands_for = *value == '$';
        value += stands_for;
        if (stands_for && *value == 't')
            snprintf(text, sizeof text, "%s", type);
        else if (stands_for && ((size_t)(*value - '0') >= p->given_count || !ptx_value_as(p, p->given[*value - '0'], type, text, sizeof text)))
            return false;
        n += (size_t)snprintf(out + n, n < size ? size - n : 0, "%s", text);
    }
    return n + 2 < size && snprintf(out + n, size - n, ")") > 0;
}

/* ld and st, of one value or of {%0, %1 …}, through whatever cache. */
static bool moves(const struct ptx *p, char *out, size_t size)
{
    bool loads = ptx_begins(p->opcode, "ld") || ptx_begins(p->opcode, "ldu"), stores = ptx_begins(p->opcode, "st");
    const char *type = ptx_type_of(p->opcode);
    char where[PTX_LENGTH];
    if (!(loads || stores) || !type || p->given_count != 2 || !ptx_address(p, p->given[loads], where, sizeof where))
        return false;
    char list[PTX_LENGTH], *rest = list;
    const char *values = p->given[stores];
    bool many = *values == '{';
    snprintf(list, sizeof list, "%.*s", many ? (int)strlen(values) - 2 : (int)strlen(values), values + many);
    if (many != (ptx_has(p->opcode, ".v2") || ptx_has(p->opcode, ".v4")))
        return false;
    size_t n = (size_t)snprintf(out, size, "(");
    int i = 0;
    for (char *one; (one = strsep(&rest, ",")); i++) {
        char value[PTX_LENGTH];
        one = ptx_trim(one);
        if (!(loads ? ptx_operand(p, one, value, sizeof value) : ptx_value_as(p, one, type, value, sizeof value)) || n >= size)
            return false;
        n += (size_t)(loads ? snprintf(out + n, size - n, "%s::__sim::__ptx_out(%s,((%s volatile*)%s)[%d])", i ? "," : "", value, type, where, i)
                            : snprintf(out + n, size - n, "%s((%s volatile*)%s)[%d]=%s", i ? "," : "", type, where, i, value));
    }
    return n + 2 < size && snprintf(out + n, size - n, ")") > 0;
}

/* {%1, %2} as one word, the first of them its lowest bits, or a word as such pieces. */
static bool packs(const struct ptx *p, char *out, size_t size)
{
    const char *type = ptx_type_of(p->opcode);
    bool unpacks = p->given_count == 2 && p->given[0][0] == '{', packs_them = p->given_count == 2 && p->given[1][0] == '{';
    bool wide = ptx_has(p->opcode, ".b64");
    if (!ptx_begins(p->opcode, "mov") || !(wide || ptx_has(p->opcode, ".b32")) || unpacks == packs_them)
        return false;
    char list[PTX_LENGTH], whole[PTX_LENGTH], *rest = list, *one, *pieces[4];
    const char *values = p->given[packs_them];
    size_t count = 0, n;
    snprintf(list, sizeof list, "%.*s", (int)strlen(values) - 2, values + 1);
    while ((one = strsep(&rest, ",")) && count < 4)
        pieces[count++] = ptx_trim(one);
    if (one || (count != 2 && !(count == 4 && wide)))
        return false;
    unsigned bits = (wide ? 64 : 32) / (unsigned)count;
    const char *piece = bits == 32 ? "unsigned" : "unsigned short";
    if (unpacks ? !ptx_value_as(p, p->given[1], type, whole, sizeof whole) : !ptx_operand(p, p->given[0], whole, sizeof whole))
        return false;
    n = (size_t)(unpacks ? snprintf(out, size, "({%s __ptx_w=%s;", type, whole) : snprintf(out, size, "::__sim::__ptx_out(%s,(%s)(0", whole, type));
    for (size_t i = 0; i < count && n < size; i++) {
        char value[PTX_LENGTH];
        bool ignored = unpacks && strcmp(pieces[i], "_") == 0;
        if (!ignored && !(unpacks ? ptx_operand(p, pieces[i], value, sizeof value) : ptx_value_as(p, pieces[i], piece, value, sizeof value)))
            return false;
        if (!ignored)
            n += (size_t)(unpacks ? snprintf(out + n, size - n, "::__sim::__ptx_out(%s,(%s)(__ptx_w>>%zu));", value, piece, i * bits)
                                  : snprintf(out + n, size - n, "|(%s)%s<<%zu", type, value, i * bits));
    }
    return n + 4 < size && snprintf(out + n, size - n, unpacks ? "})" : "))") > 0;
}

/* setp.lt.u32 p, %1, %2; selp.b32 %0, %1, %2, p; and what is done to predicates. */
static bool compares(const struct ptx *p, char *out, size_t size)
{
    static const char *const ways[][2] = {
        { "eq", "==" }, { "ne", "!=" }, { "lt", "<" }, { "le", "<=" }, { "gt", ">" }, { "ge", ">=" }, { "lo", "<" }, { "ls", "<=" },
        { "hi", ">" }, { "hs", ">=" }, { "neu", "!=" },
    };
    static const char *const of_predicates[][2] = { { "and.pred", "&&" }, { "or.pred", "||" }, { "xor.pred", "!=" } };
    const char *type = ptx_type_of(p->opcode);
    char a[PTX_LENGTH], b[PTX_LENGTH], to[PTX_LENGTH], condition[PTX_LENGTH];
    if (p->given_count < 2)
        return false;
    if (ptx_begins(p->opcode, "setp") && type && p->given_count == 3 && ptx_register(p, p->given[0], to, sizeof to)
        && ptx_value_as(p, p->given[1], type, a, sizeof a) && ptx_value_as(p, p->given[2], type, b, sizeof b)) {
        size_t length = strcspn(p->opcode + 5, ".");
        bool plain = strchr(p->opcode + 5, '.') == strrchr(p->opcode, '.');
        for (size_t i = 0; plain && i < sizeof ways / sizeof *ways; i++)
            if (strlen(ways[i][0]) == length && strncmp(p->opcode + 5, ways[i][0], length) == 0)
                return snprintf(out, size, "%s = %s %s %s", to, a, ways[i][1], b) < (int)size;
        return false;
    }
    if (ptx_begins(p->opcode, "selp") && type && p->given_count == 4 && ptx_operand(p, p->given[0], to, sizeof to)
        && ptx_value_as(p, p->given[1], type, a, sizeof a) && ptx_value_as(p, p->given[2], type, b, sizeof b)
        && ptx_condition(p, p->given[3], condition, sizeof condition))
        return snprintf(out, size, "::__sim::__ptx_out(%s, %s ? %s : %s)", to, condition, a, b) < (int)size;
    if (!ptx_register(p, p->given[0], to, sizeof to) || !ptx_condition(p, p->given[1], a, sizeof a))
        return false;
    if (ptx_begins(p->opcode, "mov.pred") || ptx_begins(p->opcode, "not.pred"))
        return p->given_count == 2 && snprintf(out, size, "%s=%s%s", to, *p->opcode == 'n' ? "!" : "", a) < (int)size;
    for (size_t i = 0; i < sizeof of_predicates / sizeof *of_predicates; i++)
        if (ptx_begins(p->opcode, of_predicates[i][0]) && p->given_count == 3 && ptx_condition(p, p->given[2], b, sizeof b))
            return snprintf(out, size, "%s=%s%s%s", to, a, of_predicates[i][1], b) < (int)size;
    return false;
}

/* vote.sync.ballot.b32 %0, p, mask; the others give a predicate. */
static bool votes(const struct ptx *p, char *out, size_t size)
{
    static const char *const kinds[][2] = { { "ballot.b32", "ballot" }, { "any.pred", "any" }, { "all.pred", "all" } };
    static const char vote[] = "vote.sync.";
    char to[PTX_LENGTH], condition[PTX_LENGTH], mask[PTX_LENGTH];
    bool known = strncmp(p->opcode, vote, sizeof vote - 1) == 0 && p->given_count == 3 && ptx_condition(p, p->given[1], condition, sizeof condition)
                 && ptx_operand(p, p->given[0], to, sizeof to) && ptx_operand(p, p->given[2], mask, sizeof mask);
    for (size_t i = 0; known && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(p->opcode + sizeof vote - 1, kinds[i][0]) == 0)
            return snprintf(out, size, "%s=::__%s_sync(%s,%s)", to, kinds[i][1], mask, condition) < (int)size;
    return false;
}

/* Sums and products that hand a carry on: add.cc, addc.cc, addc; sub and mad likewise. */
static bool carries(struct ptx *p, char *out, size_t size)
{
    bool gives = ptx_has(p->opcode, ".cc"), adds = ptx_begins(p->opcode, "add") || ptx_begins(p->opcode, "addc");
    bool subtracts = ptx_begins(p->opcode, "sub") || ptx_begins(p->opcode, "subc"), mads = ptx_begins(p->opcode, "mad") || ptx_begins(p->opcode, "madc");
    bool takes = ptx_begins(p->opcode, "addc") || ptx_begins(p->opcode, "subc") || ptx_begins(p->opcode, "madc"), high = ptx_has(p->opcode, ".hi");
    const char *type = ptx_type_of(p->opcode);
    char to[PTX_LENGTH], v[3][PTX_LENGTH], sum[3 * PTX_LENGTH];
    size_t count = mads ? 3 : 2;
    if (!(gives || takes) || !(adds || subtracts || mads) || !type || strchr(type, '.') || p->given_count != count + 1
        || !ptx_operand(p, p->given[0], to, sizeof to) || (mads && !high && !ptx_has(p->opcode, ".lo")))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!ptx_value_as(p, p->given[i + 1], type, v[i], sizeof v[i]))
            return false;
    int n = mads ? snprintf(sum, sizeof sum, "::__sim::__ptx_product<%s,%d>(%s,%s),%s", type, high, v[0], v[1], v[2])
                 : snprintf(sum, sizeof sum, "%s,%s", v[0], v[1]);
    p->carries = true;
    return n < (int)sizeof sum && snprintf(out, size, "::__sim::__ptx_out(%s,::__sim::__ptx_carry<%s,%d>(%s,%s,__ptx_cc,%d))", to, type, subtracts, sum,
                                           takes ? "__ptx_cc" : "0", gives) < (int)size;
}

/* cvt.rzi.s32.f32 %0, %1 */
static bool converts(const struct ptx *p, char *out, size_t size)
{
    char opcode[PTX_LENGTH], *pieces[8], *rest = opcode, to[PTX_LENGTH], value[PTX_LENGTH];
    size_t count = 0;
    snprintf(opcode, sizeof opcode, "%s", p->opcode);
    for (char *piece; count < 8 && (piece = strsep(&rest, "."));)
        pieces[count++] = piece;
    if (rest || count < 3 || strcmp(pieces[0], "cvt") != 0 || p->given_count != 2)
        return false;
    const char *into = ptx_type(pieces[count - 2]), *from = ptx_type(pieces[count - 1]);
    bool real = into && (pieces[count - 2][0] == 'f'), was_real = from && pieces[count - 1][0] == 'f';
    bool whole = was_real && (!real || strchr(count == 4 ? pieces[1] : "", 'i'));
    static const char *const roundings[][2] = { { "rni", "rint" }, { "rzi", "trunc" }, { "rmi", "floor" }, { "rpi", "ceil" } };
    const char *how = NULL;
    for (size_t i = 0; count == 4 && i < sizeof roundings / sizeof *roundings; i++)
        if (strcmp(pieces[1], roundings[i][0]) == 0)
            how = roundings[i][1];
    bool nearest = count == 4 && strcmp(pieces[1], "rn") == 0;
    if (!into || !from || count > 4 || (whole ? !how : count == 4 && !nearest) || !ptx_operand(p, p->given[0], to, sizeof to)
        || !ptx_value_as(p, p->given[1], from, value, sizeof value))
        return false;
    if (whole && real)
        return snprintf(out, size, "::__sim::__ptx_out(%s,(%s)__builtin_%s(%s))", to, into, how, value) < (int)size;
    if (whole)
        return snprintf(out, size, "::__sim::__ptx_out(%s,::__sim::__clamped<%s>(__builtin_%s((double)%s)))", to, into, how, value) < (int)size;
    return snprintf(out, size, "::__sim::__ptx_out(%s,(%s)%s)", to, into, value) < (int)size;
}

static bool is_atomic(const struct ptx *p, char *out, size_t size)
{
    static const char *const names[][2] = { { ".add", "Add" }, { ".min", "Min" }, { ".max", "Max" }, { ".and", "And" }, { ".or", "Or" },
                                            { ".xor", "Xor" }, { ".exch", "Exch" } };
    bool answers = ptx_begins(p->opcode, "atom");
    const char *type = ptx_type_of(p->opcode), *name = NULL;
    char to[PTX_LENGTH] = "", where[PTX_LENGTH], value[PTX_LENGTH], other[PTX_LENGTH];
    if (answers && ptx_has(p->opcode, ".cas") && type && p->given_count == 4 && ptx_operand(p, p->given[0], to, sizeof to)
        && ptx_address(p, p->given[1], where, sizeof where) && ptx_value_as(p, p->given[2], type, other, sizeof other)
        && ptx_value_as(p, p->given[3], type, value, sizeof value))
        return snprintf(out, size, "::__sim::__ptx_out(%s,::atomicCAS((%s*)%s,%s,%s))", to, type, where, other, value) < (int)size;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ptx_has(p->opcode, names[i][0]))
            name = names[i][1];
    if (!(answers || ptx_begins(p->opcode, "red")) || !type || !name || p->given_count != 2u + answers
        || (answers && !ptx_operand(p, p->given[0], to, sizeof to)) || !ptx_address(p, p->given[answers], where, sizeof where)
        || !ptx_value_as(p, p->given[answers + 1], type, value, sizeof value))
        return false;
    return snprintf(out, size, answers ? "::__sim::__ptx_out(%s,::atomic%s((%s*)%s,%s))" : "%s::atomic%s((%s*)%s,%s)", to, name, type, where, value)
           < (int)size;
}

static bool orders(const struct ptx *p, char *out, size_t size)
{
    static const char *const none[] = { "prefetch", "prefetchu", "discard", "applypriority" };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (ptx_begins(p->opcode, none[i]))
            return snprintf(out, size, "((void)0)") > 0;
    char value[PTX_LENGTH];
    if (ptx_begins(p->opcode, "griddepcontrol.wait"))
        return snprintf(out, size, "::sim_grid_dependency_synchronize()") > 0;
    if (ptx_begins(p->opcode, "griddepcontrol.launch_dependents"))
        return snprintf(out, size, "::sim_trigger_launch_completion()") > 0;
    if (ptx_begins(p->opcode, "membar") || ptx_begins(p->opcode, "fence"))
        return snprintf(out, size, "::__threadfence()") > 0;
    if ((ptx_begins(p->opcode, "bar.sync") || ptx_begins(p->opcode, "barrier.sync")) && p->given_count == 1 && strcmp(p->given[0], "0") == 0)
        return snprintf(out, size, "::__syncthreads()") > 0;
    if (ptx_begins(p->opcode, "bar.warp.sync") && p->given_count == 1 && ptx_operand(p, p->given[0], value, sizeof value))
        return snprintf(out, size, "::__syncwarp(%s)", value) < (int)size;
    if (strcmp(p->opcode, "trap") == 0 && p->given_count == 0)
        return snprintf(out, size, "::__trap()") > 0;
    if (ptx_begins(p->opcode, "nanosleep") && p->given_count == 1 && ptx_operand(p, p->given[0], value, sizeof value))
        return snprintf(out, size, "::__nanosleep(%s)", value) < (int)size;
    return false;
}

bool ptx_operation(struct ptx *p, char *out, size_t size)
{
    return special_register(p, out, size) || carries(p, out, size) || compares(p, out, size) || packs(p, out, size) || converts(p, out, size)
           || votes(p, out, size) || computes(p, out, size) || moves(p, out, size) || is_atomic(p, out, size) || orders(p, out, size);
}
