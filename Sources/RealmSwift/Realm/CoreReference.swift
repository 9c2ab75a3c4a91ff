// SPDX-License-Identifier: Apache-2.0

// A reference to a realm core that does not keep it alive.
//
// A weak reference would do the same, but every retain and release of an object that ever had one
// takes the slow path of the runtime, and each managed object retains its core.
//
// Invariants:
// 1. While the address is there, the core is in memory: its deinitializer clears the address first,
//    under the lock.
// 2. No core is released under the lock.

import CRealmPlatform
import RealmStorage

/// Finds a core that others keep alive; usable on any thread.
final class CoreReference: Sendable {
  /// The core's address; 0 once it is being destroyed.
  private let address = Guarded<UInt>(0)

  init() {}

  /// Makes the reference lead to `core`, which calls `clear()` when it goes.
  func set(_ core: RealmCore) {
    let bits = UInt(bitPattern: Unmanaged.passUnretained(core).toOpaque())
    address.withLock { $0 = bits }
  }

  /// Makes the reference lead nowhere.
  func clear() { address.withLock { $0 = 0 } }

  /// The core, unless it is being destroyed.
  var core: RealmCore? {
    // Retained under the lock, given out after it.
    let bits = address.withLock { bits -> UInt in
      guard let pointer = UnsafeMutableRawPointer(bitPattern: bits), realm_try_retain(pointer)
      else { return 0 }
      return bits
    }
    return UnsafeMutableRawPointer(bitPattern: bits).map {
      Unmanaged<RealmCore>.fromOpaque($0).takeRetainedValue()
    }
  }
}
