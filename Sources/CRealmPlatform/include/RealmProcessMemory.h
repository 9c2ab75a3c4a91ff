// SPDX-License-Identifier: Apache-2.0

// The memory of the whole process, as its allocator and the system count it.
#ifndef REALM_PROCESS_MEMORY_H
#define REALM_PROCESS_MEMORY_H

#include <stdint.h>

/// What the process has of memory that no file backs.
struct realm_process_memory {
  /// The bytes that the program has allocated and not freed.
  uint64_t used;
  /// The bytes that the process takes from the system, with those that were freed and kept.
  uint64_t held;
};

/// Zero for what the system does not tell.
struct realm_process_memory realm_process_memory(void);

/// Lets the allocator keep little of the memory that is freed from now on. To be called when the
/// program starts.
void realm_keep_little_freed_memory(void);

/// Gives the memory that was freed back to the system. It may take milliseconds, in which other
/// threads wait for the allocator.
void realm_release_freed_memory(void);

#endif
