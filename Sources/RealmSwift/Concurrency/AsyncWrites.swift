// SPDX-License-Identifier: Apache-2.0

// What a realm knows about its asynchronous writes. The work is done by `RealmCore+AsyncWrites`
// and `RealmCore+CommitGroups`.
//
// Invariants:
// 1. All of this is used where the realm lives, but for `held`, which has a lock, and `isWoken`.
// 2. `waiting` is in the order in which the writes were asked for. A block is run only when it is
//    first, so it overtakes no task of this realm, and none overtakes it.
// 3. While `operationCount` is not 0, `keeper` keeps the realm, and the actor that it lives on.
// 4. A pending commit is in one place: in `held`, in `continued`, or on its way to the disk.

import Dispatch
import RealmStorage
import Synchronization

/// The asynchronous writes of one realm.
final class AsyncWrites {
  /// What waits for its turn to write.
  struct Entry {
    enum Kind {
      /// A task; it waits at the desk of writers by itself.
      case task
      /// A block after which the transaction is undone unless it was committed.
      case begin(() -> Void)
      /// A block after which the transaction is committed, unless the block ended it itself.
      case write(() -> Void)
    }

    let id: AsyncTransactionId
    let kind: Kind
    /// Its number at the desk of writers; nil if it is a task's, or if nothing can wake the realm.
    var waiter: UInt64?
  }

  /// What is to be called when a commit is done.
  enum Completion {
    case nobody
    case callback(((any Error)?) -> Void)
    /// There was one, and nobody wants it any more.
    case dropped
  }

  /// Those who wait for one pending commit.
  struct Group: Sendable {
    /// Names completions of the realm.
    var ids: [AsyncTransactionId] = []
    var task: CheckedContinuation<Result<Void, StorageError>, Never>?
    /// How many transactions share the commit.
    var count = 0
  }

  /// A pending commit and those who wait for it.
  struct Held {
    let pending: PendingCommit
    var group: Group
  }

  /// What may follow without waiting for the disk in between.
  static let maximumGroupCount = 20

  /// How long an open group may keep others from writing while its realm is busy.
  var graceTime = DispatchTimeInterval.milliseconds(5)
  private var entries: ArraySlice<Entry> = []
  private var lastID: AsyncTransactionId = 0
  var completions: [AsyncTransactionId: Completion] = [:]
  /// The commit that the next transaction of the group goes on from. Who is slow finds that a timer
  /// has taken it and brought it to the disk.
  let held = HeldCommit()
  /// What the open transaction goes on from.
  var continued: Held?
  /// How many operations have begun and not ended.
  private(set) var operationCount = 0
  /// Whether the waiting blocks are just being run.
  var isRunning = false
  /// The block that is just being run.
  var runningID: AsyncTransactionId?
  /// Whether completions are being called.
  var isCompleting = false
  /// Whether the realm was woken and has not looked yet.
  let isWoken = WakeFlag()
  private var keeper: (core: RealmCore, actor: (any Actor)?)?

  func makeID() -> AsyncTransactionId {
    lastID = lastID == .max ? 1 : lastID + 1
    return lastID
  }

  // MARK: Waiting

  /// What is to be run next.
  var first: Entry? { entries.first }

  func append(_ entry: Entry) { entries.append(entry) }

  func removeFirst() { entries.removeFirst() }

  /// Takes out the entry with that number, if it still waits.
  func remove(_ id: AsyncTransactionId) -> Entry? {
    guard let index = entries.firstIndex(where: { $0.id == id }) else { return nil }
    return entries.remove(at: index)
  }

  // MARK: Keeping the realm

  func operationBegins(in core: RealmCore) {
    operationCount += 1
    guard keeper == nil else { return }
    if case .actor(let identity) = core.confinement {
      keeper = (core, identity.living)
    } else {
      keeper = (core, nil)
    }
  }

  func operationEnds() {
    operationCount -= 1
    guard operationCount == 0 else { return }
    // The caller has the realm as well; what is released here does not go on using it.
    keeper = nil
  }
}

/// Whether somebody was woken; usable on any thread.
final class WakeFlag: Sendable {
  private let flag = Atomic(false)

  /// Sets the flag; true if it was not set.
  func set() -> Bool { !flag.exchange(true, ordering: .acquiringAndReleasing) }

  func clear() { flag.store(false, ordering: .releasing) }
}

/// A place for a pending commit, which the realm and a timer may both want; usable on any thread.
final class HeldCommit: Sendable {
  private let held = Guarded<AsyncWrites.Held?>(nil)

  func put(_ new: AsyncWrites.Held) {
    // What is held must be taken before; nothing is released under the lock.
    held.withLock { $0 = new }
  }

  func take() -> AsyncWrites.Held? { held.withLock { $0.take() } }

  var isEmpty: Bool { held.withLock { $0 == nil } }
}
