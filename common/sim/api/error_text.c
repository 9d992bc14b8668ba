/* SPDX-License-Identifier: MIT */
#include "sim/api/error_text.h"

#include <stddef.h>

static const struct { cudaError_t error; const char *name, *message; } errors[] = {
#define SIM_ERROR(name, number, message) { name, #name, message },
#include "sim/include/detail/sim_errors.h"
#undef SIM_ERROR
};

enum { ERRORS = sizeof errors / sizeof errors[0] };

static size_t find_error(cudaError_t error)
{
    size_t i = 0;
    while (i < ERRORS && errors[i].error != error)
        i++;
    return i;
}

const char *error_name(cudaError_t error)
{
    size_t i = find_error(error);
    return i < ERRORS ? errors[i].name : "unrecognized error code";
}

const char *error_message(cudaError_t error)
{
    size_t i = find_error(error);
    return i < ERRORS ? errors[i].message : "unrecognized error code";
}
