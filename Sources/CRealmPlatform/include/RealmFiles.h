// SPDX-License-Identifier: Apache-2.0

// System calls on files that Swift cannot make (variadic ones, and those that its C library module
// lacks) or that have another name on each platform. All return 0 or an errno, unless said.
#ifndef REALM_FILES_H
#define REALM_FILES_H

#include <stdbool.h>
#include <stdint.h>

/// open(2) with close-on-exec. A file descriptor, or the negated errno.
int realm_open(const char *path, int flags, int mode);

/// A file that lives in memory as long as it is open. A file descriptor, or the negated errno.
int realm_memory_file(void);

/// Makes the data of the file durable, and as much of its metadata as reading it back needs.
int realm_sync(int fd);

/// Reserves disk space for the range, and makes the file as long as the range's end.
int realm_allocate(int fd, int64_t offset, int64_t byte_count);

/// flock(2), without waiting. EWOULDBLOCK if another open file description is in the way.
int realm_lock_file(int fd, bool exclusive);
int realm_unlock_file(int fd);

/// A lock of one byte that belongs to the open file description: any thread may release it, and the
/// kernel does when the process ends. EAGAIN if it is taken and `waits` is false.
int realm_lock_byte(int fd, int64_t offset, bool waits);
int realm_unlock_byte(int fd, int64_t offset);

/// The same lock, shared with others, or in place of the exclusive one of the description;
/// without waiting. EAGAIN if another description has it exclusively.
int realm_share_byte(int fd, int64_t offset);
/// Whether another open file description has a lock of the byte.
int realm_find_byte_lock(int fd, int64_t offset, bool *is_locked);

/// Sleeps while `*word == expected`, until woken, a signal, or the time is up (negative: no limit).
/// `shared`: the word is in memory that other processes wake.
void realm_wait_on_word(
  const void *word, uint32_t expected, int64_t timeout_nanoseconds, bool shared);
void realm_wake_word(const void *word, bool shared);

/// Names the calling thread for debuggers; at most 15 characters.
void realm_name_thread(const char *name);

#endif
