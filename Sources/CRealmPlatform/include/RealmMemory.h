// SPDX-License-Identifier: Apache-2.0

// Hints about memory that is about to be read.
#ifndef REALM_MEMORY_H
#define REALM_MEMORY_H

/// Asks for the cache line at `address`, which need not be mapped.
static inline void realm_prefetch(const void *address) { __builtin_prefetch(address); }

/// Asks for `count` lines of 64 bytes from `address` on. The compiler of Swift makes calls of most
/// uses, around which loops save their vectors: to be used for several lines, between loops.
static inline void realm_prefetch_lines(const void *address, long count) {
  for (long line = 0; line < count; line++) __builtin_prefetch((const char *)address + line * 64);
}

#endif
