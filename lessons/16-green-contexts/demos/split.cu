/* SPDX-License-Identifier: MIT */
/* split.cu - how many SMs a group gets, by how many are asked for.
 *
 *   build/bin/simcc -Icommon -o split lessons/16-green-contexts/demos/split.cu && ./split */
#include "parts.h"

int main(void)
{
    ask_device();
    printf("%u SMs\n", whole.sm.smCount);
    //> table
    static const unsigned wishes[] = { 1, 9, 20, 40, 66, 80 };
    for (unsigned wish : wishes) {
        CUdevResource group, rest;
        unsigned groups = 1;
        CHECK(cuDevSmResourceSplitByCount(&group, &groups, &whole, &rest, 0, wish));
        printf("asked for %2u, got %2u, remaining %3u\n", wish, group.sm.smCount, rest.sm.smCount);
    }
    //< table
    return 0;
}
