// SPDX-License-Identifier: Apache-2.0

// A value behind a lock.
//
// The standard library's `Mutex` sleeps in a kernel call that hands the lock over itself, inside a
// library without instrumentation: the thread sanitizer sees a race wherever two threads meet at
// one. The engine is to be checked with that sanitizer, so its locks are these few lines, whose
// atomics it does see. They cost the same: one compare-and-swap when nobody is in the way.
//
// The word is 0 when the lock is free, 1 when it is held, 2 when it is held and somebody may sleep.

import CRealmPlatform
import Synchronization

/// A value that one thread at a time can reach.
package final class Guarded<Value>: @unchecked Sendable {
  // Sendable: `value` is touched only by the thread that holds the lock.

  /// Memory of its own: an empty value would share its address with this object's header, which
  /// every access reads, and the thread sanitizer takes that for a race.
  private let value: UnsafeMutablePointer<Value>
  private let word: UnsafeMutablePointer<Atomic<UInt32>>

  /// Puts a value behind a lock of its own.
  package init(_ value: Value) {
    self.value = .allocate(capacity: 1)
    self.value.initialize(to: value)
    word = .allocate(capacity: 1)
    word.initialize(to: Atomic(0))
  }

  deinit {
    value.deinitialize(count: 1)
    value.deallocate()
    word.deinitialize(count: 1)
    word.deallocate()
  }

  /// Runs `body` while no other thread does.
  ///
  /// The lock is not recursive: `body` must not come back here, so it calls nobody's callback.
  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body(&value.pointee)
  }

  private func lock() {
    let (isFree, _) = word.pointee.compareExchange(
      expected: 0, desired: 1, ordering: .acquiring)
    if isFree { return }
    while word.pointee.exchange(2, ordering: .acquiring) != 0 {
      // A forked child has none of the threads that held locks in its parent.
      if realm_is_forked() { return }
      realm_wait_on_word(UnsafeRawPointer(word), 2, 1_000_000_000, false)
    }
  }

  private func unlock() {
    if word.pointee.exchange(0, ordering: .releasing) == 2 {
      realm_wake_word(UnsafeRawPointer(word), false)
    }
  }
}
