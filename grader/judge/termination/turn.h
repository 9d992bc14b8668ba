/* SPDX-License-Identifier: MIT */
/*
 * turn.h - what is said of an address that a loop gives to each function that it queues
 * (submission_turn_variable()), wherever that shows: in a wrong order, or in a standstill.
 */
#ifndef GRADER_JUDGE_TERMINATION_TURN_H
#define GRADER_JUDGE_TERMINATION_TURN_H

#define TURN_CALLS "cudaLaunchHostFunc cudaStreamAddCallback"
/* The line, and the variable's name. */
#define TURN_SAYS \
    "In line %u each function is given the address of `%s`, which every turn of that loop sets anew. A function that runs in a later turn " \
    "finds there what that turn has set, not its own. Give each one a place that stays as it is until the function has run."

#endif
