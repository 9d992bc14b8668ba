/* SPDX-License-Identifier: MIT */
/* device_settings.h - what a program can set on a device and ask back. */
#ifndef SIM_API_DEVICE_SETTINGS_H
#define SIM_API_DEVICE_SETTINGS_H

/* The device was reset: it has its first settings again. */
void settings_reset(int device);

#endif
