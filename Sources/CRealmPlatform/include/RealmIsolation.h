// SPDX-License-Identifier: Apache-2.0

// Who runs right now: the calling thread and the calling task's executor, in the fewest cycles.
#ifndef REALM_ISOLATION_H
#define REALM_ISOLATION_H

#include <stdbool.h>
#include <stdint.h>

/// The address of the calling thread's control block: never 0, and equal for two calls if and only
/// if the same living thread makes them.
static inline uintptr_t realm_thread_pointer(void) {
  return (uintptr_t)__builtin_thread_pointer();
}

/// Whether the caller runs on the thread that the process began with.
bool realm_is_first_thread(void);

/// A number that no other thread of this process has had or will have; never 0.
uint64_t realm_thread_number(void);

/// The number by which the system and its tools know the calling thread.
uint64_t realm_thread_identifier(void);

/// The identity of the serial executor that the calling task runs on: for a default actor the
/// actor's address, for a custom executor that executor's, 0 outside tasks and on none.
uintptr_t realm_current_executor(void);

/// The identity of the main actor's executor, which some platforms represent by an object of their
/// own and others by null (then the queue decides).
uintptr_t realm_main_executor(void);

/// The label of the dispatch queue whose block the caller runs in; outside of blocks that of a
/// global queue. Never null.
const char *realm_current_queue_label(void);

/// Retains a Swift object unless it is being destroyed; false then. Its memory must still be there.
bool realm_try_retain(void *object);

#endif
