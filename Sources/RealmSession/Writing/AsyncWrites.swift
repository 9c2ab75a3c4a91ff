// SPDX-License-Identifier: Apache-2.0

// The writes of a session that do not wait for their turn, or for the disk.
//
// Invariants:
// 1. All of this is used in the session's confinement, but for `held`, which has a lock, and
//    `isWoken`.
// 2. `entries` is in the order in which the writes were asked for. A block is run only when it is
//    first, so it overtakes no task of this session, and none overtakes it.
// 3. While `operationCount` is not 0, `keeper` keeps the session, and the actor that it lives on.
// 4. A pending commit is in one of three positions: in `held`, in `continued`, or on its way to the
//    disk.

package import Dispatch
package import RealmStorage
import Synchronization

/// Names an asynchronous write of one session.
package typealias AsyncWriteID = UInt32

/// The asynchronous writes of one session.
package final class AsyncWrites {
  /// What waits for its turn to write.
  struct Entry {
    let id: AsyncWriteID
    let kind: Kind
    /// Its number at the writer scheduler; nil if it is a task's, or if nothing can wake the
    /// session.
    var waiter: UInt64?
  }

  /// What is done when the turn has come.
  package enum Kind {
    /// A task goes on; it waits at the writer scheduler by itself.
    case task
    /// A block runs after which the transaction is undone unless it was committed.
    case begin(() -> Void)
    /// A block runs after which the transaction is committed, unless the block ended it itself.
    case write(() -> Void)
  }

  /// What is called when a commit is done.
  package enum Completion {
    case none
    case callback((StorageError?) -> Void)
    /// There was one, and it was cancelled.
    case dropped
  }

  /// Those who wait for one pending commit.
  struct Group: Sendable {
    /// Names completions of the session.
    var ids: [AsyncWriteID] = []
    var task: CheckedContinuation<Result<Void, StorageError>, Never>?
    /// How many transactions share the commit.
    var count = 0
  }

  /// A pending commit and those who wait for it.
  struct Held {
    let pending: PendingCommit
    var group: Group
  }

  /// How many transactions may share a commit.
  package static let maximumGroupCount = 20

  /// How long an open group may keep others from writing while its session is busy.
  package var graceTime = DispatchTimeInterval.milliseconds(5)
  private var entries: ArraySlice<Entry> = []
  private var lastID: AsyncWriteID = 0
  var completions: [AsyncWriteID: Completion] = [:]
  /// The commit that the next transaction of the group goes on from. A timer may have taken it and
  /// brought it to the disk.
  let held = HeldCommit()
  /// What the open transaction goes on from.
  var continued: Held?
  /// How many operations have begun and not ended.
  package private(set) var operationCount = 0
  /// Whether the waiting blocks are being run.
  var isRunning = false
  /// The block that is being run.
  var runningID: AsyncWriteID?
  /// Whether completions are being called.
  var isCompleting = false
  /// Whether the session was woken and has not run what is due.
  let isWoken = WakeFlag()
  private var keeper: (session: Session, actor: (any Actor)?)?

  /// The session, which owns this.
  unowned let session: Session

  init(_ session: Session) { self.session = session }

  func makeID() -> AsyncWriteID {
    lastID = lastID == .max ? 1 : lastID + 1
    return lastID
  }

  // MARK: - Waiting

  /// What is to be run next.
  var first: Entry? { entries.first }

  func append(_ entry: Entry) { entries.append(entry) }

  /// Takes out the entry with that number, if it still waits.
  func remove(_ id: AsyncWriteID) -> Entry? {
    guard let index = entries.firstIndex(where: { $0.id == id }) else { return nil }
    return entries.remove(at: index)
  }

  /// Traps if a completion is being called; there `operation` is not allowed.
  package func requireNoCompletion(_ operation: String) {
    if isCompleting {
      throwRealmException(
        "Can't \(operation) a write transaction from inside a commit completion callback.")
    }
  }

  // MARK: - Keeping the session

  /// Keeps the session until the operation ends.
  func operationBegins() {
    operationCount += 1
    guard keeper == nil else { return }
    if case .actor(let identity) = session.confinement {
      keeper = (session, identity.living)
    } else {
      keeper = (session, nil)
    }
  }

  /// Releases the session if this was the last operation.
  package func operationEnds() {
    operationCount -= 1
    guard operationCount == 0 else { return }
    // The caller has the session as well; what is released here does not go on using it.
    keeper = nil
  }
}
