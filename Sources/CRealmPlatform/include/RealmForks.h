// SPDX-License-Identifier: Apache-2.0

// What a child process must not share with its parent when it was forked without exec.
//
// A fork copies the process with its descriptors and mappings: parent and child would hold the same
// locks, and write the same reader slots. So the child's copies are cut off before its first
// instruction. This is C because it runs in a handler of fork, when other threads may have held any
// lock of the Swift runtime.
#ifndef REALM_FORKS_H
#define REALM_FORKS_H

#include <stdbool.h>
#include <stddef.h>

/// What is done to something in the child.
enum realm_fork_action {
  /// The descriptor at the address is closed, not unlocked, and set to -1.
  REALM_FORK_CLOSE,
  /// The mapped memory is replaced by zeros of the child's own.
  REALM_FORK_REPLACE,
  /// The word at the address is set to 0.
  REALM_FORK_CLEAR,
};

/// Something that has been given to `realm_fork_add`.
struct realm_fork_item;

/// Notes what a child must not share. Null if there is no memory for the note.
struct realm_fork_item *realm_fork_add(
  enum realm_fork_action action, void *address, size_t byte_count);

/// Forgets it, before the descriptor is closed or the memory released. May be given null.
void realm_fork_remove(struct realm_fork_item *item);

/// Not 0 in a process that was forked from one that had noted something.
extern int realm_fork_mark;

/// Whether this process was forked, without exec, from one that had used a database.
static inline bool realm_is_forked(void) { return realm_fork_mark != 0; }

#endif
