/* SPDX-License-Identifier: MIT */
/* What instructions of PTX are in C++. Bits stay bits: a register may be an integer or a
 * floating-point number. */
#include "simcc/rewrite/ptx/ptx.h"

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
        { "%lanemask_ge", "(~0u<<::sim_lane())" },
        { "%globaltimer_lo", "(unsigned)::sim_register_globaltimer()" },
        { "%nwarpid", "64" }, { "WARP_SZ", "32" },
        { "%clock_hi", "(unsigned)(::sim_register_clock64()>>32)" },
        { "%nsmid", "::sim_register_nsmid()" }, { "%laneid", "::sim_register_laneid()" },
        { "%cluster_ctarank", "::__clusterRelativeBlockRank()" },
        { "%cluster_nctarank", "::__clusterSizeInBlocks()" },
        { "%cluster_ctaid.x", "::__clusterRelativeBlockIdx().x" },
        { "%cluster_ctaid.y", "::__clusterRelativeBlockIdx().y" },
        { "%cluster_ctaid.z", "::__clusterRelativeBlockIdx().z" },
        { "%cluster_nctaid.x", "::__clusterDim().x" },
        { "%cluster_nctaid.y", "::__clusterDim().y" },
        { "%cluster_nctaid.z", "::__clusterDim().z" },
        { "%clusterid.x", "::__clusterIdx().x" }, { "%clusterid.y", "::__clusterIdx().y" },
        { "%nclusterid.x", "::__clusterGridDimInClusters().x" },
        { "%warpid", "::sim_register_warpid()" }, { "%smid", "::sim_register_smid()" },
        { "%clock", "::sim_register_clock()" },
        { "%clock64", "::sim_register_clock64()" },
        { "%globaltimer", "::sim_register_globaltimer()" },
    };
    char to[PTX_LENGTH];
    if (!ptx_begins(p->opcode, "mov") || p->given_count != 2
        || !ptx_operand(p, p->given[0], to, sizeof to))
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
        { "mov", "$1" }, { "cvta.to.shared", "::sim_shared_window((const void*)$1)" },
        { "cvta.shared", "(unsigned long long)::sim_shared_at($1)" }, { "cvta", "$1" },
        { "mapa.shared::cluster.u32", "::sim_shared_window(::sim_cluster_map(::sim_shared_at($1),$2))" }, { "mapa.u64", "(unsigned long long)::sim_cluster_map((const void*)$1,$2)" },
        { "getctarank.shared::cluster.u32", "::sim_cluster_rank_of(::sim_shared_at($1))" },
        { "getctarank.u64", "::sim_cluster_rank_of((const void*)$1)" },
        { "add", "($t)$1+($t)$2" }, { "sub", "($t)$1-($t)$2" }, { "mul.lo", "($t)$1*($t)$2" },
        { "mul.wide.u32", "(unsigned long long)$1*$2" },
        { "mul.wide.s32", "(long long)(int)$1*(int)$2" }, { "mul.wide.u16", "(unsigned)$1*$2" },
        { "mul.wide.s16", "(int)(short)$1*(short)$2" },
        { "mul.hi.u32", "::__umulhi($1,$2)" }, { "mul.hi.s32", "::__mulhi($1,$2)" },
        { "mul.hi.u64", "::__umul64hi($1,$2)" }, { "mul.hi.s64", "::__mul64hi($1,$2)" },
        { "mul.hi.u16", "(unsigned)$1*$2>>16" }, { "mul.hi.s16", "(int)$1*$2>>16" },
        { "mul24.lo.u32", "::__umul24($1,$2)" }, { "mul24.lo.s32", "::__mul24($1,$2)" },
        { "mad24.lo.u32", "::__umul24($1,$2)+$3" },
        { "mad24.lo.s32", "(unsigned)::__mul24($1,$2)+$3" },
        { "mad.wide.u16", "(unsigned)$1*$2+$3" },
        { "mad.wide.s16", "(int)(short)$1*(short)$2+(int)$3" },
        { "mad.wide.u32", "(unsigned long long)$1*$2+$3" },
        { "mad.wide.s32", "(long long)(int)$1*(int)$2+$3" },
        { "mul.wide", NULL }, { "mul.hi", NULL }, { "mad.lo", "($t)$1*($t)$2+($t)$3" },
        { "mul", "($t)$1*($t)$2" }, { "div", "($t)$1/($t)$2" }, { "rem", "($t)$1%($t)$2" },
        { "fma.rn.f32", "__builtin_fmaf($1,$2,$3)" },
        { "fma.rn.ftz.f32", "__builtin_fmaf($1,$2,$3)" },
        { "fma.rn.f64", "__builtin_fma($1,$2,$3)" },
        { "mad.f32", "__builtin_fmaf($1,$2,$3)" }, { "mad.rn.f32", "__builtin_fmaf($1,$2,$3)" },
        { "mad.rn.f64", "__builtin_fma($1,$2,$3)" },
        { "and", "($t)$1&($t)$2" }, { "or", "($t)$1|($t)$2" }, { "xor", "($t)$1^($t)$2" },
        { "not", "~($t)$1" }, { "neg", "-($t)$1" },
        { "abs.f32", "__builtin_fabsf($1)" }, { "abs.ftz.f32", "__builtin_fabsf($1)" },
        { "abs.f64", "__builtin_fabs($1)" },
        { "min.f32", "__builtin_fminf($1,$2)" }, { "max.f32", "__builtin_fmaxf($1,$2)" },
        { "min.ftz.f32", "__builtin_fminf($1,$2)" },
        { "max.ftz.f32", "__builtin_fmaxf($1,$2)" }, { "min.f64", "__builtin_fmin($1,$2)" },
        { "max.f64", "__builtin_fmax($1,$2)" },
        { "copysign.f32", "__builtin_copysignf($2,$1)" },
        { "copysign.f64", "__builtin_copysign($2,$1)" }, { "cnot", "$1==0" },
        { "sad.u32", "::__usad($1,$2,$3)" }, { "sad.s32", "::__sad($1,$2,(unsigned)$3)" },
        { "bfind.shiftamt.u32", "$1 ? ::__clz((int)$1) : -1" },
        { "bfind.u32", "31-::__clz((int)$1)" }, { "bfind.s32", "31-::__clz($1<0 ? ~$1 : $1)" },
        { "bfind.u64", "63-::__clzll((long long)$1)" }, { "fns.b32", "::__fns($1,$2,(int)$3)" },
        { "abs", "($t)$1<0?-($t)$1:($t)$1" }, { "min", "($t)$1<($t)$2?($t)$1:($t)$2" },
        { "max", "($t)$1>($t)$2?($t)$1:($t)$2" },
        { "shl", "__sim::__ptx_shl<$t>($1,$2)" }, { "shr", "__sim::__ptx_shr<$t>($1,$2)" },
        { "bfe", "__sim::__ptx_bfe<$t>($1,$2,$3)" }, { "bfi", "__sim::__ptx_bfi<$t>($1,$2,$3,$4)" },
        { "lop3.b32", "__sim::__ptx_lop3($1,$2,$3,$4)" }, { "prmt.b32", "::__byte_perm($1,$2,$3)" },
        { "shf.l.wrap.b32", "::__funnelshift_l($1,$2,$3)" },
        { "shf.r.wrap.b32", "::__funnelshift_r($1,$2,$3)" },
        { "shf.l.clamp.b32", "::__funnelshift_lc($1,$2,$3)" },
        { "shf.r.clamp.b32", "::__funnelshift_rc($1,$2,$3)" },
        { "popc.b32", "::__popc($1)" }, { "popc.b64", "::__popcll($1)" },
        { "clz.b32", "::__clz($1)" }, { "clz.b64", "::__clzll($1)" },
        { "mad.hi.u32", "::__umulhi($1,$2)+$3" }, { "mad.hi.s32", "(unsigned)::__mulhi($1,$2)+$3" },
        { "mad.hi.u64", "::__umul64hi($1,$2)+$3" },
        { "mad.hi.s64", "(unsigned long long)::__mul64hi($1,$2)+$3" },
        { "dp4a.u32.u32", "::__dp4a($1,$2,$3)" },
        { "dp4a.s32.s32", "::__dp4a((int)$1,(int)$2,(int)$3)" },
        { "activemask.b32", "::__activemask()" },
        { "match.any.sync.b32", "::__match_any_sync($2,$1)" },
        { "match.any.sync.b64", "::__match_any_sync((unsigned)$2,$1)" },
        { "redux.sync.add", "::__reduce_add_sync((unsigned)$2,$1)" },
        { "redux.sync.min", "::__reduce_min_sync((unsigned)$2,$1)" },
        { "redux.sync.max", "::__reduce_max_sync((unsigned)$2,$1)" },
        { "redux.sync.and", "::__reduce_and_sync($2,$1)" },
        { "redux.sync.or", "::__reduce_or_sync($2,$1)" },
        { "redux.sync.xor", "::__reduce_xor_sync($2,$1)" },
        { "brev.b32", "::__brev($1)" }, { "brev.b64", "::__brevll($1)" },
        { "ex2.approx", "__builtin_exp2f($1)" }, { "lg2.approx", "__builtin_log2f($1)" },
        { "sin.approx", "__builtin_sinf($1)" },
        { "cos.approx", "__builtin_cosf($1)" }, { "tanh.approx.f32", "__builtin_tanhf($1)" },
        { "rcp", "1/($t)$1" }, { "sqrt", "__builtin_sqrt(($t)$1)" },
        { "rsqrt", "1/__builtin_sqrt(($t)$1)" },
    };
    const char *type = ptx_type_of(p->opcode);
    const char *value = NULL;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (ptx_begins(p->opcode, table[i].opcode)) {
            value = table[i].value;
            break;
        }
    static const char *const carries[] = { ".cc", ".sat", ".x2", ".f16", ".bf16", ".rz", ".rm",
                                           ".rp", ".NaN", ".xorsign" };
    for (size_t i = 0; i < sizeof carries / sizeof *carries; i++)
        if (ptx_has(p->opcode, carries[i]))
            return false;
    char to[PTX_LENGTH];
    if (!type || !value || p->given_count < 1 || !ptx_operand(p, p->given[0], to, sizeof to))
        return false;
    bool flushes = ptx_has(p->opcode, ".ftz") && strcmp(type, "float") == 0;
    size_t n = (size_t)snprintf(out, size, "::__sim::__ptx_out(%s,%s", to,
                                flushes ? "::__sim::__ptx_flushed(" : "");
    for (; *value; value++) {
        char text[PTX_LENGTH] = { *value, '\0' };
        bool stands_for = *value == '$', is_value = stands_for && value[1] != 't';
        value += stands_for;
        if (stands_for && !is_value)
            snprintf(text, sizeof text, "%s", type);
        else if (is_value
                 && ((size_t)(*value - '0') >= p->given_count
                     || !ptx_value_as(p, p->given[*value - '0'], type, text, sizeof text)))
            return false;
        n += (size_t)snprintf(out + n, n < size ? size - n : 0,
                              flushes && is_value ? "::__sim::__ptx_flushed(%s)" : "%s", text);
    }
    return n + 3 < size && snprintf(out + n, size - n, flushes ? "))" : ")") > 0;
}

/* fma.rn.f16x2 %0, %1, %2, %3; an operand's size says whether it is one number or two. */
static bool computes_small(const struct ptx *p, char *out, size_t size)
{
    static const struct { const char *opcode, *value; } table[] = {
        { "add", "__a+__b" }, { "sub", "__a-__b" }, { "mul", "__a*__b" },
        { "fma.rn", "__builtin_fma(__a,__b,__c)" }, { "neg", "-__a" },
        { "abs", "__builtin_fabs(__a)" }, { "min", "__builtin_fmin(__a,__b)" },
        { "max", "__builtin_fmax(__a,__b)" },
    };
    static const char *const kinds[][3] = { { ".f16", "f16", "unsigned short" },
                                            { ".f16x2", "f16", "unsigned" },
                                            { ".bf16", "bf16", "unsigned short" },
                                            { ".bf16x2", "bf16", "unsigned" } };
    const char *last = strrchr(p->opcode, '.');
    size_t kind = 0, row = 0;
    while (last && kind < 4 && strcmp(last, kinds[kind][0]) != 0)
        kind++;
    for (; row < sizeof table / sizeof *table; row++) {
        size_t n = strlen(table[row].opcode);
        const char *rest = p->opcode + n;
        if (strncmp(p->opcode, table[row].opcode, n) == 0
            && (rest == last || (strncmp(rest, ".rn.", 4) == 0 && rest + 3 == last)))
            break;
    }
    if (!last || kind == 4 || row == sizeof table / sizeof *table)
        return false;
    size_t count =
        2u + (strstr(table[row].value, "__b") != NULL) + (strstr(table[row].value, "__c") != NULL);
    char to[PTX_LENGTH], v[3][PTX_LENGTH] = { "", "0", "0" };
    if (p->given_count != count || !ptx_operand(p, p->given[0], to, sizeof to))
        return false;
    for (size_t i = 1; i < count; i++)
        if (!ptx_value_as(p, p->given[i], kinds[kind][2], v[i - 1], sizeof v[i - 1]))
            return false;
    return snprintf(
               out, size,
               "::__sim::__ptx_out(%s,::__sim::__ptx_each_%s<%s>(%s,%s,%s,[](double __a,double __b,double __c)->double{(void)__b,(void)__c;return %s;}))",
               to, kinds[kind][1], kinds[kind][2], v[0], v[1], v[2], table[row].value)
           < (int)size;
}

/* shfl.sync.up.b32 %0|p, %1, %2, %3, %4: the predicate says whether that lane was there. */
static bool shuffles(const struct ptx *p, char *out, size_t size)
{
    static const char *const modes[] = { "shfl.sync.idx.b32", "shfl.sync.up.b32",
                                         "shfl.sync.down.b32", "shfl.sync.bfly.b32" };
    size_t mode = 0;
    while (mode < 4 && strcmp(p->opcode, modes[mode]) != 0)
        mode++;
    if (mode == 4 || p->given_count != 5)
        return false;
    char both[PTX_LENGTH], to[PTX_LENGTH], there[PTX_LENGTH] = "", v[4][PTX_LENGTH];
    snprintf(both, sizeof both, "%s", p->given[0]);
    char *bar = strchr(both, '|');
    if (bar)
        *bar++ = '\0';
    bool ignored = strcmp(ptx_trim(both), "_") == 0;
    if ((!ignored && !ptx_operand(p, ptx_trim(both), to, sizeof to))
        || (bar && !ptx_register(p, ptx_trim(bar), there, sizeof there)))
        return false;
    for (size_t i = 0; i < 4; i++)
        if (!ptx_value_as(p, p->given[i + 1], "unsigned", v[i], sizeof v[i]))
            return false;
    return snprintf(
               out, size,
               "({bool __ptx_there;unsigned __ptx_v=::__sim::__ptx_shuffle<%zu>(%s,%s,%s,%s,__ptx_there);%s%s%s%s%s%s})",
               mode, v[0], v[1], v[2], v[3], ignored ? "" : "::__sim::__ptx_out(",
               ignored ? "" : to, ignored ? "" : ",__ptx_v);", *there ? there : "",
               *there ? "=__ptx_there;" : "", "(void)__ptx_there;(void)__ptx_v;")
           < (int)size;
}

/* {%1, %2} as one word, the first of them its lowest bits, or a word as such pieces. */
static bool packs(const struct ptx *p, char *out, size_t size)
{
    const char *type = ptx_type_of(p->opcode);
    bool unpacks = p->given_count == 2 && p->given[0][0] == '{',
         packs_them = p->given_count == 2 && p->given[1][0] == '{';
    bool wide = ptx_has(p->opcode, ".b64");
    if (!ptx_begins(p->opcode, "mov") || !(wide || ptx_has(p->opcode, ".b32"))
        || unpacks == packs_them)
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
    if (unpacks ? !ptx_value_as(p, p->given[1], type, whole, sizeof whole)
                : !ptx_operand(p, p->given[0], whole, sizeof whole))
        return false;
    n = (size_t)(unpacks ? snprintf(out, size, "({%s __ptx_w=%s;", type, whole)
                         : snprintf(out, size, "::__sim::__ptx_out(%s,(%s)(0", whole, type));
    for (size_t i = 0; i < count && n < size; i++) {
        char value[PTX_LENGTH];
        bool ignored = unpacks && strcmp(pieces[i], "_") == 0;
        if (!ignored
            && !(unpacks ? ptx_operand(p, pieces[i], value, sizeof value)
                         : ptx_value_as(p, pieces[i], piece, value, sizeof value)))
            return false;
        if (!ignored)
            n += (size_t)(unpacks
                              ? snprintf(out + n, size - n,
                                         "::__sim::__ptx_out(%s,(%s)(__ptx_w>>%zu));", value, piece,
                                         i * bits)
                              : snprintf(out + n, size - n, "|(%s)%s<<%zu", type, value, i * bits));
    }
    return n + 4 < size && snprintf(out + n, size - n, unpacks ? "})" : "))") > 0;
}

/* setp.lt.u32 p, %1, %2; setp.lt.and.u32 p|q, %1, %2, r: q is told of the opposite. */
static bool sets_predicate(const struct ptx *p, char *out, size_t size)
{
    static const char *const ways[][2] = {
        { "eq", "==" }, { "ne", "!=" }, { "lt", "<" }, { "le", "<=" }, { "gt", ">" },
        { "ge", ">=" }, { "lo", "<" }, { "ls", "<=" },
        { "hi", ">" }, { "hs", ">=" }, { "neu", "!=" },
    };
    static const char *const joins[][2] = { { ".and.", "&&" }, { ".or.", "||" },
                                            { ".xor.", "!=" } };
    const char *type = ptx_type_of(p->opcode), *way = NULL, *join = NULL,
               *rest = p->opcode + strlen("setp.");
    size_t length = strcspn(rest, ".");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strlen(ways[i][0]) == length && strncmp(rest, ways[i][0], length) == 0)
            way = ways[i][1];
    rest += length;
    for (size_t i = 0; i < sizeof joins / sizeof *joins; i++)
        if (strncmp(rest, joins[i][0], strlen(joins[i][0])) == 0) {
            join = joins[i][1];
            rest += strlen(joins[i][0]) - 1;
        }
    char a[PTX_LENGTH], b[PTX_LENGTH], c[PTX_LENGTH] = "", names[PTX_LENGTH], to[PTX_LENGTH],
                                       other[PTX_LENGTH] = "";
    if (!type || !way || rest != strrchr(p->opcode, '.') || p->given_count != 3u + !!join
        || !ptx_value_as(p, p->given[1], type, a, sizeof a)
        || !ptx_value_as(p, p->given[2], type, b, sizeof b)
        || (join && !ptx_condition(p, p->given[3], c, sizeof c)))
        return false;
    snprintf(names, sizeof names, "%s", p->given[0]);
    char *bar = strchr(names, '|');
    if (bar)
        *bar++ = '\0';
    if (!ptx_register(p, ptx_trim(names), to, sizeof to)
        || (bar && !ptx_register(p, ptx_trim(bar), other, sizeof other)))
        return false;
    if (!bar)
        return snprintf(out, size, "%s=(%s%s%s)%s%s", to, a, way, b, join ? join : "", c)
               < (int)size;
    return snprintf(out, size,
                    "({bool __ptx_is=%s%s%s,__ptx_and=%s;%s=__ptx_is%s%s;%s=!__ptx_is%s%s;})", a,
                    way, b, join ? c : "true", to, join ? join : "&&", "__ptx_and", other,
                    join ? join : "&&", "__ptx_and")
           < (int)size;
}

/* selp.b32 %0, %1, %2, p; and what is done to predicates. */
static bool compares(const struct ptx *p, char *out, size_t size)
{
    static const char *const of_predicates[][2] = { { "and.pred", "&&" }, { "or.pred", "||" },
                                                    { "xor.pred", "!=" } };
    const char *type = ptx_type_of(p->opcode);
    char a[PTX_LENGTH], b[PTX_LENGTH], to[PTX_LENGTH], condition[PTX_LENGTH];
    if (p->given_count < 2)
        return false;
    if (ptx_begins(p->opcode, "setp"))
        return sets_predicate(p, out, size);
    if (ptx_begins(p->opcode, "selp") && type && p->given_count == 4
        && ptx_operand(p, p->given[0], to, sizeof to)
        && ptx_value_as(p, p->given[1], type, a, sizeof a)
        && ptx_value_as(p, p->given[2], type, b, sizeof b)
        && ptx_condition(p, p->given[3], condition, sizeof condition))
        return snprintf(out, size, "::__sim::__ptx_out(%s, %s ? %s : %s)", to, condition, a, b)
               < (int)size;
    if (!ptx_register(p, p->given[0], to, sizeof to) || !ptx_condition(p, p->given[1], a, sizeof a))
        return false;
    if (ptx_begins(p->opcode, "mov.pred") || ptx_begins(p->opcode, "not.pred"))
        return p->given_count == 2
               && snprintf(out, size, "%s=%s%s", to, *p->opcode == 'n' ? "!" : "", a) < (int)size;
    for (size_t i = 0; i < sizeof of_predicates / sizeof *of_predicates; i++)
        if (ptx_begins(p->opcode, of_predicates[i][0]) && p->given_count == 3
            && ptx_condition(p, p->given[2], b, sizeof b))
            return snprintf(out, size, "%s=%s%s%s", to, a, of_predicates[i][1], b) < (int)size;
    return false;
}

/* vote.sync.ballot.b32 %0, p, mask; the others give a predicate. */
static bool votes(const struct ptx *p, char *out, size_t size)
{
    static const char *const kinds[][2] = { { "ballot.b32", "ballot" }, { "any.pred", "any" },
                                            { "all.pred", "all" } };
    static const char vote[] = "vote.sync.";
    char to[PTX_LENGTH], condition[PTX_LENGTH], mask[PTX_LENGTH];
    bool known = strncmp(p->opcode, vote, sizeof vote - 1) == 0 && p->given_count == 3
                 && ptx_condition(p, p->given[1], condition, sizeof condition)
                 && ptx_operand(p, p->given[0], to, sizeof to)
                 && ptx_operand(p, p->given[2], mask, sizeof mask);
    for (size_t i = 0; known && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(p->opcode + sizeof vote - 1, kinds[i][0]) == 0)
            return snprintf(out, size, "%s=::__%s_sync(%s,%s)", to, kinds[i][1], mask, condition)
                   < (int)size;
    return false;
}

/* Sums and products that hand a carry on: add.cc, addc.cc, addc; sub and mad likewise. */
static bool carries(struct ptx *p, char *out, size_t size)
{
    bool gives = ptx_has(p->opcode, ".cc"),
         adds = ptx_begins(p->opcode, "add") || ptx_begins(p->opcode, "addc");
    bool subtracts = ptx_begins(p->opcode, "sub") || ptx_begins(p->opcode, "subc"),
         mads = ptx_begins(p->opcode, "mad") || ptx_begins(p->opcode, "madc");
    bool takes = ptx_begins(p->opcode, "addc") || ptx_begins(p->opcode, "subc")
                 || ptx_begins(p->opcode, "madc"),
         high = ptx_has(p->opcode, ".hi");
    const char *type = ptx_type_of(p->opcode);
    char to[PTX_LENGTH], v[3][PTX_LENGTH], sum[3 * PTX_LENGTH];
    size_t count = mads ? 3 : 2;
    if (!(gives || takes) || !(adds || subtracts || mads) || !type || strchr(type, '.')
        || p->given_count != count + 1 || !ptx_operand(p, p->given[0], to, sizeof to)
        || (mads && !high && !ptx_has(p->opcode, ".lo")))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!ptx_value_as(p, p->given[i + 1], type, v[i], sizeof v[i]))
            return false;
    int n = mads ? snprintf(sum, sizeof sum, "::__sim::__ptx_product<%s,%d>(%s,%s),%s", type, high,
                            v[0], v[1], v[2])
                 : snprintf(sum, sizeof sum, "%s,%s", v[0], v[1]);
    p->takes_carry |= takes && !p->carries;
    p->gives_carry = gives;
    p->carries = true;
    return n < (int)sizeof sum
           && snprintf(out, size,
                       "::__sim::__ptx_out(%s,::__sim::__ptx_carry<%s,%d>(%s,%s,__ptx_cc,%d))", to,
                       type, subtracts, sum, takes ? "__ptx_cc" : "0", gives)
                  < (int)size;
}

/* What cvt converts from or into: a type of C++, or one of 16 bits, whose value is a float's. */
struct convertible {
    const char *type;           /* that a register holds */
    const char *small;          /* f16, bf16; NULL: none of them */
    bool real;
};

static bool is_convertible(const char *suffix, struct convertible *c)
{
    bool small = strcmp(suffix, "f16") == 0 || strcmp(suffix, "bf16") == 0;
    *c = (struct convertible){ small ? "unsigned short" : ptx_type(suffix), small ? suffix : NULL,
                               small || *suffix == 'f' };
    return c->type != NULL;
}

/* The operand's value: an integer, a float or a double. */
static bool converted_value(const struct ptx *p, const char *given, struct convertible from,
                            char *out, size_t size)
{
    char bits[PTX_LENGTH];
    if (!from.small)
        return ptx_value_as(p, given, from.type, out, size);
    return ptx_value_as(p, given, from.type, bits, sizeof bits)
           && snprintf(out, size, "::__sim::__ptx_%s_value(%s)", from.small, bits) < (int)size;
}

/* cvt.rn.f16x2.f32 %0, %1, %2: the first is the upper half. */
static bool converts_pairs(const struct ptx *p, char *out, size_t size)
{
    static const char *const pairs[][2] = { { "cvt.rn.f16x2.f32", "f16" },
                                            { "cvt.rn.bf16x2.f32", "bf16" } };
    char to[PTX_LENGTH], high[PTX_LENGTH], low[PTX_LENGTH];
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (strcmp(p->opcode, pairs[i][0]) == 0 && p->given_count == 3)
            return ptx_operand(p, p->given[0], to, sizeof to)
                   && ptx_value_as(p, p->given[1], "float", high, sizeof high)
                   && ptx_value_as(p, p->given[2], "float", low, sizeof low)
                   && snprintf(out, size, "::__sim::__ptx_out(%s,::__sim::__ptx_%s_pair(%s,%s))",
                               to, pairs[i][1], low, high)
                          < (int)size;
    return false;
}

/* cvt.rzi.s32.f32 %0, %1 */
static bool converts(const struct ptx *p, char *out, size_t size)
{
    static const struct { const char *way, *integral, *small; } roundings[] = {
        { "", NULL, "nearest" }, { "rn", NULL, "nearest" }, { "rz", NULL, "zero" },
        { "rm", NULL, "below" }, { "rp", NULL, "above" },
        { "rni", "rint", "nearest" }, { "rzi", "trunc", "nearest" }, { "rmi", "floor", "nearest" },
        { "rpi", "ceil", "nearest" },
    };
    char opcode[PTX_LENGTH], *pieces[8], *rest = opcode, to[PTX_LENGTH], value[2 * PTX_LENGTH],
                                         integral[3 * PTX_LENGTH];
    size_t count = 0, how = 0;
    snprintf(opcode, sizeof opcode, "%s", p->opcode);
    for (char *piece; count < 8 && (piece = strsep(&rest, "."));)
        pieces[count++] = piece;
    if (converts_pairs(p, out, size))
        return true;
    if (rest || count < 3 || count > 4 || strcmp(pieces[0], "cvt") != 0 || p->given_count != 2)
        return false;
    while (how < sizeof roundings / sizeof *roundings
           && strcmp(count == 4 ? pieces[1] : "", roundings[how].way) != 0)
        how++;
    struct convertible into, from;
    if (how == sizeof roundings / sizeof *roundings || !is_convertible(pieces[count - 2], &into)
        || !is_convertible(pieces[count - 1], &from) || !ptx_operand(p, p->given[0], to, sizeof to)
        || !converted_value(p, p->given[1], from, value, sizeof value))
        return false;
    const char *function = roundings[how].integral;
    bool narrows = into.small && !from.small;
    if ((from.real ? !into.real && !function : function != NULL) || (narrows && count == 3))
        return false;
    snprintf(integral, sizeof integral, function ? "__builtin_%s(%s%s)" : "%.0s%.0s%s",
             function ? function : "", into.real ? "" : "(double)", value);
    if (into.small)
        return snprintf(out, size, "::__sim::__ptx_out(%s,::__sim::__ptx_%s<::__sim::__to_%s>(%s))",
                        to, into.small, roundings[how].small, integral)
               < (int)size;
    if (strcmp(roundings[how].small, "nearest") != 0)
        return false;
    return snprintf(out, size,
                    function && !into.real ? "::__sim::__ptx_out(%s,::__sim::__clamped<%s>(%s))"
                                           : "::__sim::__ptx_out(%s,(%s)%s)",
                    to, into.type, integral)
           < (int)size;
}

bool ptx_operation(struct ptx *p, char *out, size_t size)
{
    return special_register(p, out, size) || carries(p, out, size) || compares(p, out, size)
           || packs(p, out, size) || converts(p, out, size) || votes(p, out, size)
           || shuffles(p, out, size) || computes_small(p, out, size) || computes(p, out, size)
           || ptx_video(p, out, size) || ptx_memory(p, out, size) || ptx_order(p, out, size);
}
