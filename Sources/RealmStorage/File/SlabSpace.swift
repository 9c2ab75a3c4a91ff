// SPDX-License-Identifier: Apache-2.0

// The address space of the slabs of all open files.
//
// A slab is as large as the largest possible transaction of a file, and between transactions none
// is needed. To give one up and take it again costs system calls, so the slabs of the files written
// last stay.
//
// 1. A slab in use is never given up; `take` and `giveBack` of one slab have one caller at a time,
//    the holder of the writer lock of the file.
// 2. Memory is mapped at a slab's addresses, for it, unless the slab is detached. Whoever detaches
//    one or maps one again holds the lock of the space.

import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The slabs of the open files.
package final class SlabSpace: Sendable {
  package static let shared = SlabSpace(byteLimit: 2 << 40)

  private static let detached: UInt8 = 0
  private static let idle: UInt8 = 1
  private static let inUse: UInt8 = 2

  /// The upper part of one reservation.
  @safe
  final class Slab: Sendable {
    let byteCount: Int
    // nonisolated(unsafe): an address, never changed.
    nonisolated(unsafe) fileprivate let start: UnsafeMutableRawPointer
    fileprivate let state = Atomic(SlabSpace.inUse)
    /// Whether a transaction had it since the last look.
    fileprivate let isRecent = Atomic(true)

    init(at start: UnsafeMutableRawPointer, byteCount: Int) {
      unsafe self.start = unsafe start
      self.byteCount = byteCount
    }

    func giveBack() {
      isRecent.store(true, ordering: .relaxed)
      let (isOurs, _) = state.compareExchange(
        expected: SlabSpace.inUse, desired: SlabSpace.idle, ordering: .releasing)
      assert(isOurs, "`SlabSpace` 1: a slab that was given back is in use")
    }
  }

  fileprivate struct State {
    /// The slabs with addresses, in the order of the looks at them.
    var attached: [Slab] = []
    var byteCount = 0
    /// Where the next look begins.
    var hand = 0
  }

  private let byteLimit: Int
  private let state = Locked(State())

  /// - Parameter byteLimit: How much address space idle slabs may take.
  init(byteLimit: Int) { self.byteLimit = byteLimit }

  /// Notes a new slab in use.
  func add(_ slab: Slab) {
    guard slab.byteCount > 0 else { return }
    state.withLock { state in
      state.append(slab)
      state.detachIdle(over: byteLimit)
    }
  }

  /// Forgets a slab whose reservation ends, and gives its addresses up.
  func remove(_ slab: Slab) {
    guard slab.byteCount > 0 else { return }
    state.withLock { state in
      guard slab.state.load(ordering: .acquiring) != Self.detached else { return }
      unsafe munmap(slab.start, slab.byteCount)
      slab.state.store(Self.detached, ordering: .relaxed)
      if let index = state.attached.firstIndex(where: { $0 === slab }) { state.forget(index) }
    }
  }

  /// Takes a slab into use. False if its addresses are not free any more.
  func take(_ slab: Slab) -> Bool {
    let (isTaken, _) = slab.state.compareExchange(
      expected: Self.idle, desired: Self.inUse, ordering: .acquiringAndReleasing)
    if isTaken { return true }
    guard slab.byteCount > 0 else { return false }
    return state.withLock { state in
      assert(
        slab.state.load(ordering: .relaxed) == Self.detached,
        "`SlabSpace` 1: a slab has one user at a time")
      let flags = MAP_PRIVATE | Self.anonymous | MAP_NORESERVE
      // The system takes the address if it is free, and another one if not.
      let address = unsafe mmap(
        slab.start, slab.byteCount, PROT_READ | PROT_WRITE, flags, -1, 0)
      guard let address = unsafe address, unsafe address != MAP_FAILED else { return false }
      guard unsafe address == slab.start else {
        unsafe munmap(address, slab.byteCount)
        return false
      }
      slab.state.store(Self.inUse, ordering: .relaxed)
      state.append(slab)
      state.detachIdle(over: byteLimit)
      return true
    }
  }

  /// Gives up all idle slabs. False if there are none.
  package func detachIdle() -> Bool {
    state.withLock { state in
      let count = state.attached.count
      state.detachIdle(over: 0)
      return state.attached.count < count
    }
  }

  #if canImport(Darwin)
  static let anonymous = MAP_ANON
  #else
  static let anonymous = MAP_ANONYMOUS
  #endif
}

extension SlabSpace.State {
  fileprivate mutating func append(_ slab: SlabSpace.Slab) {
    attached.append(slab)
    byteCount += slab.byteCount
  }

  fileprivate mutating func forget(_ index: Int) {
    byteCount -= attached[index].byteCount
    attached.swapAt(index, attached.count - 1)
    attached.removeLast()
  }

  /// Gives up idle slabs until the others take no more than `byteLimit`; first the ones without a
  /// transaction since the last look at them.
  fileprivate mutating func detachIdle(over byteLimit: Int) {
    var looks = 2 * attached.count
    while byteCount > byteLimit, looks > 0 {
      looks -= 1
      if hand >= attached.count { hand = 0 }
      let slab = attached[hand]
      let wasRecent = slab.isRecent.exchange(false, ordering: .relaxed)
      let (isFree, _) =
        wasRecent
        ? (false, 0)
        : slab.state.compareExchange(
          expected: SlabSpace.idle, desired: SlabSpace.detached, ordering: .acquiringAndReleasing)
      guard isFree else {
        hand += 1
        continue
      }
      unsafe munmap(slab.start, slab.byteCount)
      forget(hand)
    }
  }
}
