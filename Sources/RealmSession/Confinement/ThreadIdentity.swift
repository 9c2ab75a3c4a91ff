// SPDX-License-Identifier: Apache-2.0

// A thread as the owner of sessions.

import CRealmPlatform

/// The identity of a thread. The pointers of ended threads are reused; the number, which is not,
/// keeps a new thread from finding the sessions of a dead one.
package struct ThreadIdentity: Hashable, Sendable {
  /// The word for accesses to compare: `realm_thread_pointer()` on the thread.
  let pointer: UInt
  let number: UInt64

  package static var current: ThreadIdentity {
    ThreadIdentity(pointer: realm_thread_pointer(), number: realm_thread_number())
  }

  package var isCurrent: Bool { pointer == realm_thread_pointer() }
}

extension ThreadIdentity: CustomStringConvertible {
  package var description: String { "thread \(number)" }
}
