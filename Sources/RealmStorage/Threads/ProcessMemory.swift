// SPDX-License-Identifier: Apache-2.0

// The memory of the whole process, for programs that run for long.

import CRealmPlatform

/// What the process has of memory that no file backs.
package struct ProcessMemory: Hashable, Sendable {
  /// The bytes that are allocated and not freed.
  package var used: Int
  /// The bytes that the process takes from the system.
  package var held: Int

  package init(used: Int, held: Int) {
    self.used = used
    self.held = held
  }

  /// The bytes that were freed and are kept, about.
  package var free: Int { max(0, held - used) }

  /// The memory now.
  package static var current: ProcessMemory {
    let memory = realm_process_memory()
    return ProcessMemory(used: Int(clamping: memory.used), held: Int(clamping: memory.held))
  }

  /// Lets the allocator keep little of what is freed from now on, for programs whose need of memory
  /// comes in bursts: buffers of a mebibyte go back to the system at once, and so do the ends of
  /// its areas, which `releaseFreed()` does not reach.
  package static func keepLittleFreed() { realm_keep_little_freed_memory() }

  /// Gives what was freed back to the system: the allocator keeps it otherwise, for ever. It may
  /// take milliseconds, so it is for times when little happens.
  package static func releaseFreed() { realm_release_freed_memory() }
}
