// SPDX-License-Identifier: Apache-2.0

// The writes of a session that do not wait for their turn, or for the disk.
//
// Invariants:
// 1. Everything here is used in the session's confinement, but for `held`, which has a lock, and
//    `isWoken`.
// 2. `entries` is in the order in which the writes were enqueued. A block is run only when it is
//    first, so it overtakes no task of this session, and none overtakes it.
// 3. While `operationCount` is not 0, `keeper` keeps the session, and the actor that it is confined
//    to.
// 4. A pending commit is in one of three states: in `held`, in `continued`, or being made durable.

import Dispatch
package import RealmStorage

/// Identifies an asynchronous write of one session.
package typealias AsyncWriteID = UInt32

/// The asynchronous writes of one session.
package final class AsyncWrites {
  /// An entry of the queue of writes.
  struct Entry {
    let id: AsyncWriteID
    let kind: Kind
    /// Its number in the writer scheduler; nil if it is a task's, or if nothing can wake the
    /// session.
    var waiter: UInt64?
  }

  /// The action of an entry when its turn has come.
  package enum Kind {
    /// A task continues; it waits in the writer scheduler by itself.
    case task
    /// A block runs, after which the transaction is undone unless it was committed.
    case begin(() -> Void)
    /// A block runs, after which the transaction is committed, unless the block ended it itself.
    case write(() -> Void)
  }

  /// The completion of a commit.
  package enum Completion {
    case none
    case callback((StorageError?) -> Void)
    /// A completion that was cancelled.
    case dropped
  }

  /// The completions and the task that wait for one pending commit.
  struct Group: Sendable {
    /// The completions of the session that wait.
    var ids: [AsyncWriteID] = []
    var task: WaitingTask?
    /// How many transactions share the commit.
    var count = 0
  }

  /// The task that waits for a commit.
  ///
  /// A class, so that a program that never waits needs no continuation: making the type takes two
  /// searches of all conformances of the process.
  final class WaitingTask: Sendable {
    private let continuation: CheckedContinuation<Result<Void, StorageError>, Never>

    init(_ continuation: CheckedContinuation<Result<Void, StorageError>, Never>) {
      self.continuation = continuation
    }

    func resume(returning outcome: Result<Void, StorageError>) {
      continuation.resume(returning: outcome)
    }
  }

  /// A pending commit and the group that waits for it.
  struct Held {
    let pending: PendingCommit
    var group: Group
  }

  /// How many transactions may share a commit.
  static let maximumGroupCount = 20

  /// How long an open group may keep other writers waiting while its session is busy.
  var graceTime = DispatchTimeInterval.milliseconds(5)
  private var entries: ArraySlice<Entry> = []
  private var lastID: AsyncWriteID = 0
  var completions: [AsyncWriteID: Completion] = [:]
  /// The commit that the next transaction of the group continues. A timer may have taken it and
  /// made it durable.
  let held = HeldCommit()
  /// The held commit that the open transaction continues.
  var continued: Held?
  /// How many operations have begun and not ended.
  package private(set) var operationCount = 0 {
    didSet { session.note(asyncOperations: operationCount) }
  }
  /// Whether the waiting blocks are being run.
  var isRunning = false
  /// The block that is being run.
  var runningID: AsyncWriteID?
  /// Whether completions are being called.
  var isCompleting = false
  /// Whether the session was woken and has not run its due blocks yet.
  let isWoken = WakeFlag()
  private var keeper: (session: Session, actor: (any Actor)?)?

  /// The session, which owns this.
  unowned let session: Session

  init(_ session: Session) { self.session = session }

  func makeID() -> AsyncWriteID {
    lastID = lastID == .max ? 1 : lastID + 1
    assert(completions[lastID] == nil, "an identifier is one of an operation that goes on")
    return lastID
  }

  // MARK: - Waiting

  /// The entry to be run next.
  var first: Entry? { entries.first }

  func append(_ entry: Entry) { entries.append(entry) }

  /// Removes and returns the entry with that number, if it still waits.
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
    assert(operationCount == 1 || keeper != nil, "`AsyncWrites` 3")
    guard keeper == nil else { return }
    if case .actor(let identity) = session.confinement {
      keeper = (session, identity.living)
    } else {
      keeper = (session, nil)
    }
  }

  /// Releases the session if this was the last operation.
  package func operationEnds() {
    assert(operationCount > 0 && keeper != nil, "`AsyncWrites` 3")
    operationCount -= 1
    guard operationCount == 0 else { return }
    // The caller keeps the session as well; what is released here does not use it any more.
    keeper = nil
  }
}
