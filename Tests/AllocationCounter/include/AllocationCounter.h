/* SPDX-License-Identifier: Apache-2.0 */

/* How much memory a thread asks for, for tests that prove that something allocates nothing. */

#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/// Whether allocations are counted: not where a sanitizer has taken the functions over.
bool allocations_are_counted(void);

/// How many blocks of memory the calling thread has allocated since it began.
uint64_t allocation_count(void);

#endif
