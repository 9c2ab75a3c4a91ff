// SPDX-License-Identifier: Apache-2.0

// The processor's instructions for SHA-256, which Swift cannot name.
#ifndef REALM_DIGEST_H
#define REALM_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Takes `count` blocks of 64 bytes into the state of a SHA-256 or SHA-224 digest (eight words).
/// False, with the state untouched, if the processor has no instructions for it.
bool realm_sha256_blocks(uint32_t *state, const void *blocks, size_t count);

#endif
