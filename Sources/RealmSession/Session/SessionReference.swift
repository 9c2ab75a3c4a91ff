// SPDX-License-Identifier: Apache-2.0

// A reference to a session that does not keep it alive.
//
// A weak reference would do the same, but every retain and release of an object that ever had one
// takes the slow path of the runtime, and each managed object retains its session.
//
// Invariants:
// 1. While the address is not 0, the session is in memory: its deinitializer first clears the
//    address, under the lock.
// 2. No session is released under the lock.

import CRealmPlatform
import RealmStorage

/// A non-owning reference to a session; usable on any thread.
package final class SessionReference: Sendable {
  /// The session's address; 0 once it is being destroyed.
  private let address = Locked<UInt>(0)

  init() {}

  /// Makes the reference lead to `session`, which calls `clear()` when it is destroyed.
  func set(_ session: Session) {
    let bits = unsafe UInt(bitPattern: Unmanaged.passUnretained(session).toOpaque())
    address.withLock {
      assert($0 == 0, "`SessionReference` 1: a reference leads to one session")
      $0 = bits
    }
  }

  /// Clears the reference.
  package func clear() { address.withLock { $0 = 0 } }

  /// The session, unless it is being destroyed.
  package var session: Session? {
    // Retained under the lock, returned after it.
    let bits = address.withLock { bits -> UInt in
      guard let pointer = unsafe UnsafeMutableRawPointer(bitPattern: bits),
        unsafe realm_try_retain(pointer)
      else { return 0 }
      return bits
    }
    return unsafe UnsafeMutableRawPointer(bitPattern: bits).map {
      unsafe Unmanaged<Session>.fromOpaque($0).takeRetainedValue()
    }
  }

  /// Runs `body` with the session, which lives until it returns, unless it is being destroyed.
  func withSession(_ body: (Session) -> Void) {
    guard let session else { return }
    withExtendedLifetime(session) { body(session) }
  }
}
