#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/sim/kernel/cut.py SEED COUNT: a program of that many random kernels that can be cut at their barriers.

Each prints a sum of what its threads have left in memory. They may race: where threads run in one order, so does what they read.
"""
import random
import sys

SHAPES = ("1", "33", "64", "dim3(7, 5)", "dim3(16, 4, 2)", "dim3(1, 3, 9)", "128")
ROOM = 256      # elements of each array, a power of two


class Kernel:
    def __init__(self, draw, number):
        self.draw, self.name = draw, f"k{number}"
        self.generic = draw.random() < 0.3
        self.floating = "T" if self.generic else draw.choice(("float", "double"))
        self.lines, self.count, self.scopes = [], 0, [[]]

    # Variables: (name, what): uniform, number (of a thread), real, array, same.
    def new(self, what):
        self.count += 1
        name = f"{what[0]}{self.count}"
        self.scopes[-1].append((name, what))
        return name

    def known(self, *whats):
        return [name for scope in self.scopes for name, what in scope if what in whats]

    def say(self, text):
        self.lines.append("    " * (len(self.scopes)) + text)

    # ---- expressions ----

    def uniform(self, depth=2):
        pick = self.draw.random()
        if depth == 0 or pick < 0.4:
            return self.draw.choice([str(self.draw.randint(0, 9)), "n", "(int)blockDim.x", "(int)blockIdx.x", "FOUR"] + self.known("uniform", "fixed"))
        if pick < 0.5:
            return f"({self.uniform(depth - 1)} {self.draw.choice('/%')} {self.draw.choice(('3', 'FOUR', '(int)blockDim.x', '7'))})"
        return f"({self.uniform(depth - 1)} {self.draw.choice('+-*&|')} {self.uniform(depth - 1)})"

    def number(self, depth=2):
        pick = self.draw.random()
        if depth == 0 or pick < 0.4:
            return self.draw.choice(["t", "(int)threadIdx.x", "(int)threadIdx.y", self.uniform(1)] + self.known("number", "same", "const_number"))
        if pick < 0.5:
            return f"counts[{self.index()}]"
        if pick < 0.6:
            return f"({self.number(depth - 1)} > {self.number(depth - 1)} ? {self.number(depth - 1)} : {self.uniform(1)})"
        return f"(int)((unsigned){self.number(depth - 1)} {self.draw.choice('+-*^&|')} (unsigned){self.number(depth - 1)})"

    def index(self):
        return f"({self.number(1)}) & {ROOM - 1}"

    def real(self, depth=2):
        pick = self.draw.random()
        if depth == 0 or pick < 0.3:
            return self.draw.choice(["0.25f", f"reals[{self.index()}]", "in[t]"] + self.known("real", "const_real")
                                    + [f"{a}[{self.draw.randint(0, 2)}]" for a in self.known("array")])
        if pick < 0.4:
            return f"{self.draw.choice(('sqrtf(fabsf(', 'half_of((', '(float)(('))}{self.real(depth - 1)}))"
        if pick < 0.5:
            return f"({self.number(1)} % 13)"
        return f"({self.real(depth - 1)} {self.draw.choice('+-*')} {self.real(depth - 1)})"

    # ---- statements ----

    def target(self):
        """What a thread stores, and something to store there."""
        whats = ["reals", "counts", "out"] + self.known("number") + self.known("real") + self.known("array")
        name = self.draw.choice(whats)
        if name == "reals":
            return f"reals[{self.index()}]", self.real()
        if name == "counts":
            return f"counts[{self.index()}]", self.number()
        if name == "out":
            return f"out[{self.index()}]", self.real()
        if name in self.known("array"):
            return f"{name}[{self.draw.randint(0, 2)}]", self.real()
        return name, self.number() if name in self.known("number") else self.real()

    def assignment(self):
        to, value = self.target()
        sign = self.draw.choice(("=", "=", "=", "+=", "-="))
        return f"{to} {sign} {value};"

    def plain(self):
        """Statements without barriers, as one."""
        pick = self.draw.random()
        if pick < 0.5:
            self.say(self.assignment())
        elif pick < 0.6:
            self.say(f"if ({self.number()} > {self.number(1)}) {{ {self.assignment()} {self.assignment()} }} else {self.assignment()}")
        elif pick < 0.7:
            self.count += 1
            i = f"j{self.count}"
            leaves = self.draw.choice(("", f"if ({self.number(1)} == {i}) continue; ", f"if ({i} > 2) break; "))
            self.say(f"for (int {i} = t & 3; {i} < 6; {i} += 2) {{ {leaves}{self.assignment()} reals[{i}] += {i}; }}")
        elif pick < 0.75:
            self.say(f"switch (t % 3) {{ case 0: {self.assignment()} break; case 1: {self.assignment()} default: {self.assignment()} }}")
        elif pick < 0.8:
            self.say(f"{{ int place = {self.number()}; float what = {self.real()}; place += 2; reals[place & {ROOM - 1}] = what; }}")
        elif pick < 0.85:
            self.say(f"atomicAdd(&counts[{self.index()}], {self.draw.randint(1, 9)});")
        elif pick < 0.9 and self.known("number"):
            self.say(f"{self.draw.choice(('{}++;', '--{};')).format(self.draw.choice(self.known('number')))}")
        elif pick < 0.93 and self.known("uniform"):
            name = self.draw.choice(self.known("uniform"))
            self.meet()
            self.say(f"{name} {self.draw.choice(('=', '+=', '^='))} {self.uniform()};")
        elif pick < 0.95 and self.returns:
            self.say(f"if (({self.number(1)}) % 37 == 5) return;")
        else:
            self.declaration()

    def declaration(self):
        """What it is set to cannot name it: that comes first."""
        what = self.draw.choice(("uniform", "fixed", "number", "number", "real", "real", "array", "same", "const_number", "const_real", "late"))
        if what == "late":
            value = self.number(0)
            name = self.new("number")
            self.say(f"int {name};")
            self.say(f"{name} = {value};")
            return
        if what == "array":
            value = self.real()
            self.say(f"{self.floating} {self.new(what)}[3] = {{ ({self.floating})({value}), 2, 1 }};")
            return
        if what == "same":
            value = f"({self.uniform(1)} + (int)threadIdx.x * 3)"
        elif what in ("uniform", "fixed"):
            value = self.uniform()
        else:
            value = self.number() if what.endswith("number") else self.real()
        kind = self.floating if what.endswith("real") else "int"
        if what.startswith("const") or (what in ("fixed", "same") and self.draw.random() < 0.5):
            kind = "const " + kind
        elif what == "fixed":
            kind = "long long"
        other = ""
        if what in ("number", "real") and self.draw.random() < 0.2:
            last = self.number(1) if what == "number" else self.real(1)
            other = f", {self.new(what)} = {last}"
        self.say(f"{kind} {self.new(what)} = {value}{other};")

    def meet(self):
        """Where a loop begins: without a barrier threads may race there, and most such kernels are not cut."""
        if self.tidy:
            self.say("__syncthreads();")

    def body(self, depth, length):
        for _ in range(length):
            pick = self.draw.random()
            if pick < 0.25:
                self.say("__syncthreads();")
            elif pick < 0.35 and depth > 0:
                self.meet()
                self.count += 1
                i = f"i{self.count}"
                self.say(self.draw.choice((f"for (int {i} = 0; {i} < {self.draw.randint(1, 3)}; {i}++) {{",
                                           f"for (int {i} = FOUR; {i} > 0; {i} >>= 1) {{",
                                           f"for (unsigned {i} = 1; {i} < 9; {i} *= 3) {{")))
                self.scopes.append([(i, "fixed")])
                self.body(depth - 1, self.draw.randint(1, 5))
                self.say("__syncthreads();")
                self.scopes.pop()
                self.say("}")
            elif pick < 0.4 and depth > 0:
                self.meet()
                self.say(f"if ({self.uniform()} > {self.uniform(1)}) {{")
                self.scopes.append([])
                self.body(depth - 1, self.draw.randint(1, 4))
                self.say("__syncthreads();")
                self.scopes.pop()
                self.say("} else")
                self.say("    __syncthreads();")
            else:
                self.plain()

    def text(self):
        self.returns, self.tidy = self.draw.random() < 0.3, self.draw.random() < 0.8
        self.say("int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);")
        self.say(f"__shared__ float reals[{ROOM}];")
        self.say(f"__shared__ int counts[{ROOM}];")
        self.say(f"for (int i = t; i < {ROOM}; i += blockDim.x * blockDim.y * blockDim.z) {{ reals[i] = in[i]; counts[i] = i * 7; }}")
        if self.returns:
            self.say("if (t >= n * 5) return;")
        self.say("__syncthreads();")
        self.scopes.append([])
        self.body(3, self.draw.randint(8, 24))
        self.scopes.pop()
        self.say("__syncthreads();")
        self.say(f"for (int i = t; i < {ROOM}; i += 1 + blockDim.x * blockDim.y) out[i] += reals[i] + counts[i];")
        self.say(f"out[t] += {self.real(0)};")
        head = "template <typename T> " if self.generic else ""
        return f"{head}__global__ void {self.name}(const float *in, float *out, int n)\n{{\n" + "\n".join(self.lines) + "\n}\n"


HEAD = f"""#include <stdio.h>
#include <string.h>
enum {{ FOUR = 4 }};
__device__ float half_of(float x) {{ return x / 2; }}
"""
TAIL = """static float *in, *out;
static void sum_up(const char *name)
{
    static unsigned h[1024];
    unsigned sum = 0;
    cudaError_t status = cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    for (unsigned x : h) sum = sum * 31 + x;
    printf("%s %s %08x\\n", name, cudaGetErrorName(status), sum);
}
int main()
{
    static float h[1024];
    for (int i = 0; i < 1024; i++) h[i] = (i * 37 % 101) * 0.5f - 20;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpy(out, h, sizeof h, cudaMemcpyHostToDevice);
"""


def main():
    draw = random.Random(int(sys.argv[1]))
    kernels = [Kernel(draw, i) for i in range(int(sys.argv[2]))]
    print(HEAD + "\n".join(k.text() for k in kernels) + TAIL, end="")
    for k in kernels:
        shape = draw.choice(SHAPES)
        print(f"    {k.name}{'<float>' if k.generic else ''}<<<{draw.randint(1, 3)}, {shape}>>>(in, out, {draw.randint(2, 30)}); sum_up(\"{k.name}\");")
    print("}")


if __name__ == "__main__":
    main()
