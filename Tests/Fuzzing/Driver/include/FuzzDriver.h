// SPDX-License-Identifier: Apache-2.0
//
// The entry of libFuzzer, which a program is linked with by -sanitize=fuzzer.

#pragma once

#include <stddef.h>
#include <stdint.h>

/// Calls a function with inputs until the options of the command line are fulfilled.
int LLVMFuzzerRunDriver(
    int *argumentCount, char ***arguments, int (*function)(const uint8_t *bytes, size_t count));
