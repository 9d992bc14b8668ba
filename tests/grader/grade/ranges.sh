#!/bin/bash
# SPDX-License-Identifier: MIT
# Ranges and marks of NVTX in the timeline of a program that simcc built.
. tests/grader/tap.bash

timeline() { run "$root/build/bin/timeline" "$@"; }
# PATTERN...: these lines of the picture follow each other.
rows() {
    awk 'BEGIN { want = ARGC - 1; for (i = 1; i < ARGC; i++) row[i] = ARGV[i]; ARGC = 1 }
         { at = index($0, row[at + 1]) ? at + 1 : index($0, row[1]) ? 1 : 0; if (at == want) { found = 1; exit } }
         END { exit !found }' "$@" < "$dir/out"
}
cat > "$dir/two.cu" << 'X'
#include <nvtx3/nvtx3.hpp>
#include <thread>
struct app { static constexpr const char *name = "app"; };
__global__ void k() { for (int i = 0; i < 9; i++) __nanosleep(100000); }
static void work(const char *name)
{
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    nvtxEventAttributes_t e = {};
    e.version = NVTX_VERSION;
    e.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    e.colorType = NVTX_COLOR_ARGB;
    e.color = 0xff2040a0;
    e.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    e.message.registered = nvtxDomainRegisterStringA(NULL, name);
    nvtxRangePushEx(&e);
    for (int i = 0; i < 2; i++) {
        nvtx3::scoped_range step("step");
        nvtx3::mark("<i>go");
        k<<<1, 32, 0, s>>>();
        nvtx3::scoped_range_in<app> wait{ "wait", nvtx3::rgb{ 255, 128, 0 } };
        cudaStreamSynchronize(s);
    }
    nvtxRangePop();
}
int main()
{
    nvtxRangePop();
    nvtxRangeEnd(42);
    {
        nvtx3::unique_range all("all of it");
        std::thread one(work, "one\033[2J"), other(work, "</title><script>other");
        one.join();
        other.join();
    }
    nvtxRangePushA("open");
    k<<<1, 1>>>();
    return cudaDeviceSynchronize();
}
X
build/bin/simcc -o "$dir/two" "$dir/two.cu" || exit 2
timeline --width 100 --svg "$dir/two.svg" "$dir/two"
ok "a program with ranges runs as it does without" ends 0
ok "the main thread's ranges lie above its calls, the last one open" eval 'rows "[all of it──" "host 0" && says "[open──" && says "──╳" && says "╳ never finished"'
ok "so do another thread's, a row for each depth" rows 'ranges 1 ' '[step──' '[wait─' 'host 1'
ok "and the third one's" rows 'ranges 2 ' '[step──' '[wait─' 'host 2'
ok "a mark is a point with its name" says '▼<i>go'
ok "nothing of a name reaches the terminal but letters" eval 'says "[one?[2J──" && ! grep -q $'"'\\033'"' "$dir/out"'
ok "nor the page" eval '! grep -q "<script\|<i>" "$dir/two.svg" && grep -q "&lt;/title&gt;&lt;script&gt;other: starts" "$dir/two.svg"'
ok "colours are the program's" eval 'grep -q "fill:#2040a0" "$dir/two.svg" && grep -q "fill:#ff8000" "$dir/two.svg"'
ok "a tooltip names the domain" grep -q '<title>wait of app: starts' "$dir/two.svg"
timeline --label 'all of it' --width 100 "$dir/two"
ok "a started range picks what it encloses" eval 'says "│[all of it──" && says "stream 2" && not says "default (D)"'

# What C programs call; each function once, and what it returns.
cat > "$dir/c.cu" << 'X'
#include <nvToolsExt.h>
__global__ void k() { }
int main()
{
    nvtxDomainHandle_t d = nvtxDomainCreateA("lib");
    nvtxEventAttributes_t e = {};
    e.messageType = NVTX_MESSAGE_TYPE_ASCII;
    e.message.ascii = "event";
    int bad = nvtxRangePop() != -1;
    bad |= nvtxRangePushA("a") != 0 || nvtxDomainRangePushEx(d, &e) != 0 || nvtxRangePushA(0) != 1;
    bad |= nvtxDomainRangePop(d) != 0 || nvtxDomainRangePop(d) != -1 || nvtxRangePop() != 1;
    nvtxRangeId_t one = nvtxRangeStartA("one"), other = nvtxDomainRangeStartEx(d, &e);
    bad |= one == other;
    nvtxRangeEnd(one), nvtxDomainRangeEnd(d, other), nvtxRangeEnd(one);
    nvtxMarkEx(&e), nvtxDomainMarkEx(d, 0), nvtxMarkA("");
    nvtxDomainDestroy(d);
    nvtxRangePushEx(0), nvtxRangePop();
    k<<<1, 1>>>();
    return bad || cudaDeviceSynchronize();
}
X
build/bin/simcc -o "$dir/c" "$dir/c.cu" || exit 2
timeline "$dir/c"
ok "calls of NVTX return what they return with a tool that listens" ends 0
ok "the range that is open is drawn, what has ended before is not" eval 'says "│[a───" && not says "[event" && not says "[range"'
build/bin/simcc -DNVTX_DISABLE -o "$dir/c" "$dir/c.cu" || exit 2
timeline "$dir/c"
ok "with NVTX_DISABLE there are none" not says ranges

# A page of the grader.
insert day '    nvtxRangePushA("<b>mine");'
sed -i '/#include "lesson.h"/a #include <nvtx3/nvToolsExt.h>' "$dir/x.cu"
grade --seed 1 --html "$dir/page.html" --width 90 01 "$dir/x.cu"
ok "a verdict's picture has them" says '[<b>mine─'
ok "and the page, as text" eval 'grep -q ">&lt;b&gt;mine" "$dir/page.html" && ! grep -q "<b>mine" "$dir/page.html"'
done_testing
