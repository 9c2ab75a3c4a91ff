// SPDX-License-Identifier: Apache-2.0

// Hints about memory that is about to be read.
#ifndef REALM_MEMORY_H
#define REALM_MEMORY_H

/// Asks for the cache line at `address`, which need not be mapped.
static inline void realm_prefetch(const void *address) { __builtin_prefetch(address); }

#endif
