/* SPDX-License-Identifier: MIT */
/* sizes.h - how large textures and surfaces may be on the card, by its compute capability.
 * Nothing here depends on it. */
#ifndef SIM_TEXTURE_SIZES_H
#define SIM_TEXTURE_SIZES_H

struct cudaDeviceProp;

/* Puts them there. */
void texture_sizes(struct cudaDeviceProp *p);

#endif
