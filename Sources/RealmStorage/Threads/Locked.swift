// SPDX-License-Identifier: Apache-2.0

// A value guarded by a lock.
//
// Not the standard library's `Mutex`, for two reasons. It sleeps in a kernel call that hands the
// lock over itself, inside a library without instrumentation: the thread sanitizer, which the
// engine is checked with, sees a race wherever two threads meet at one. And a child that was forked
// while another thread held a lock would wait for that thread forever, as it does not have it; here
// the child goes on (`realm_is_forked`). The cost is the same: one compare-and-swap without
// contention.
//
// The word is 0 when the lock is free, 1 when it is held, 2 when it is held and a thread may sleep.

import CRealmPlatform
import Synchronization

/// A value that one thread at a time can reach.
@safe
package final class Locked<Value>: @unchecked Sendable {
  // Sendable: `value` is touched only by the thread that holds the lock.

  /// The beginning of one block of memory, apart from this object: an empty value would share its
  /// address with the object's header, which every access reads, and the thread sanitizer takes
  /// that for a race.
  private let word: UnsafeMutablePointer<Atomic<UInt32>>
  /// In the same block, after the word.
  private let value: UnsafeMutablePointer<Value>

  /// Guards a value by a lock of its own.
  package init(_ value: Value) {
    let alignment = max(MemoryLayout<Value>.alignment, MemoryLayout<UInt64>.alignment)
    let block = UnsafeMutableRawPointer.allocate(
      byteCount: alignment + max(MemoryLayout<Value>.size, 1), alignment: alignment)
    unsafe word = unsafe block.bindMemory(to: Atomic<UInt32>.self, capacity: 1)
    unsafe word.initialize(to: Atomic(0))
    unsafe self.value = unsafe (block + alignment).bindMemory(to: Value.self, capacity: 1)
    unsafe self.value.initialize(to: value)
  }

  deinit {
    unsafe assert(
      word.pointee.load(ordering: .relaxed) == 0 || realm_is_forked(), "a held lock goes away")
    unsafe value.deinitialize(count: 1)
    unsafe word.deinitialize(count: 1)
    unsafe UnsafeMutableRawPointer(word).deallocate()
  }

  /// Runs `body` while no other thread does.
  ///
  /// The lock is not recursive: `body` must not come back here, so it runs no callback.
  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try unsafe body(&value.pointee)
  }

  private func lock() {
    let (isFree, _) = unsafe word.pointee.compareExchange(
      expected: 0, desired: 1, ordering: .acquiring)
    if isFree { return }
    while unsafe word.pointee.exchange(2, ordering: .acquiring) != 0 {
      // A forked child has none of the threads that held locks in its parent.
      if realm_is_forked() { return }
      unsafe realm_wait_on_word(UnsafeRawPointer(word), 2, 1_000_000_000, false)
    }
  }

  private func unlock() {
    if unsafe word.pointee.exchange(0, ordering: .releasing) == 2 {
      unsafe realm_wake_word(UnsafeRawPointer(word), false)
    }
  }
}
