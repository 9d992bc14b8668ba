/* SPDX-License-Identifier: MIT */
/*
 * product.h - what simcc makes is there whole, or not at all.
 *
 * It is made in the temporary folder. When it is done it takes its place in one
 * step: until then what was there before stays, and several simcc that make the
 * same file do not disturb each other. What is no file (/dev/null) stays what it is.
 */
#ifndef SIMCC_PRODUCT_H
#define SIMCC_PRODUCT_H

/* Brings `made` to `path`; ends simcc with status 2 where it cannot. */
void product_deliver(const char *made, const char *path);

#endif
