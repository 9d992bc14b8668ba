/* SPDX-License-Identifier: MIT */
/* gpu_files.h - where what belongs to a GPU is. The caller frees the paths. */
#ifndef GRADER_SANDBOX_GPU_FILES_H
#define GRADER_SANDBOX_GPU_FILES_H

/* Folder of what nvcc made; $GPU_FOLDER, or build/gpu. The recorder: $RECORDER, or
 * build/lib/librecorder.so. */
char *gpu_path(const char *name);
char *gpu_recorder(void);

#endif
