// SPDX-License-Identifier: Apache-2.0

#include <sqlite3.h>
// Says which C library this is.
#include <stdlib.h>

#if defined(__GLIBC__)
#include <malloc.h>

/// Lets nobody pay for what another engine freed: the allocator joins small blocks when somebody
/// next asks for a large one.
static inline void benchmark_tidy_heap(void) { malloc_trim(0); }
#else
static inline void benchmark_tidy_heap(void) {}
#endif
