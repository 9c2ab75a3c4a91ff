// SPDX-License-Identifier: Apache-2.0

// Write transactions that wait for their turn and for the disk without blocking the caller, and
// call back.

import RealmSession
import RealmStorage

/// Identifies an asynchronous transaction or commit of one realm.
public typealias AsyncTransactionId = UInt32

extension Realm {
  /// Identifies an asynchronous transaction or commit of one realm.
  public typealias AsyncTransactionId = UInt32

  /// Whether asynchronous writes of this realm have begun and not ended: blocks wait for their turn
  /// or run, commits are being written to disk, or their completions have not been called.
  ///
  /// Until all of them have ended they keep the realm open, even if nothing else refers to it. It
  /// may be read on any thread.
  public var isPerformingAsynchronousWriteOperations: Bool { core.asyncOperationCount > 0 }

  /// Runs `block` in a write transaction when its turn has come, and commits it, without blocking
  /// the caller meanwhile.
  ///
  /// The call returns at once and does not wait for the turn; `block` runs where the realm is
  /// confined, after the realm was advanced to the newest version, so objects and collections of
  /// the realm can be used in it. Then the realm shows the changes, other threads write them to the
  /// disk, and `onComplete` is called where the realm is confined.
  ///
  /// ```swift
  /// realm.writeAsync {
  ///   person?.dogs.append(Dog(value: ["name": "Ben", "age": 13]))
  /// } onComplete: { error in
  ///   if let error { show(error) }
  /// }
  /// ```
  ///
  /// Asynchronous writes of a realm run in the order of their requests; a synchronous write of the
  /// realm precedes those that still wait. `block` may end its transaction itself.
  ///
  /// A realm that is confined to the main actor, another actor, a queue or a thread with a running
  /// run loop is called there later. A thread without a run loop cannot be called: there everything
  /// happens before this call returns or, if a transaction is open, at the end of that.
  ///
  /// Traps if `onComplete` begins, commits or cancels a transaction. Requesting another
  /// asynchronous write there is fine.
  ///
  /// - Parameters:
  ///   - block: The changes to make in the transaction.
  ///   - onComplete: Called with nil when the changes are durable, or with the reason why they
  ///     could not be written; then they are undone. Without it such a failure traps.
  /// - Returns: The identifier for `cancelAsyncWrite(_:)`.
  @discardableResult
  public func writeAsync(
    _ block: @escaping () -> Void, onComplete: (((any Swift.Error)?) -> Void)? = nil
  ) -> AsyncTransactionId {
    core.checkIsolation()
    core.requireWritable()
    return core.asyncWrites.add(.write(block), completion: completion(onComplete))
  }

  /// Begins a write transaction when its turn has come, without blocking the caller, and runs
  /// `asyncWriteBlock` in it.
  ///
  /// The call returns at once; the block runs as that of `writeAsync(_:onComplete:)` does. It must
  /// commit the transaction, by `commitAsyncWrite(allowGrouping:_:)` or `commitWrite()`: a
  /// transaction that is open when it returns is cancelled.
  ///
  /// - Returns: The identifier for `cancelAsyncWrite(_:)`.
  @discardableResult
  public func beginAsyncWrite(_ asyncWriteBlock: @escaping () -> Void) -> AsyncTransactionId {
    core.checkIsolation()
    core.requireWritable()
    return core.asyncWrites.add(.begin(asyncWriteBlock))
  }

  /// Commits the open write transaction without waiting for the disk.
  ///
  /// The realm shows the changes when the call returns, other realms when they are durable. Then
  /// `onComplete` is called where the realm is confined; on a thread without a run loop before the
  /// call returns. A crash before that may lose the transaction, and never a part of it.
  ///
  /// With grouping, the next transactions of the realm may share the commit: up to 20 wait for the
  /// disk together, and a crash loses all of them or none. That makes many small transactions much
  /// faster. A group ends with the first commit that does not allow grouping, with the last block
  /// that waits, and when others have waited for their turn for a few milliseconds.
  ///
  /// - Parameters:
  ///   - allowGrouping: Whether further transactions may share the commit.
  ///   - onComplete: Called with nil when the changes are durable, or with the reason why they
  ///     could not be written. Without it such a failure traps.
  /// - Returns: The identifier for `cancelAsyncWrite(_:)`.
  @discardableResult
  public func commitAsyncWrite(
    allowGrouping: Bool = false, _ onComplete: (((any Swift.Error)?) -> Void)? = nil
  ) -> AsyncTransactionId {
    core.checkIsolation()
    core.asyncWrites.requireNoCompletion("commit")
    core.requireWrite(orElse: "Can't commit a non-existing write transaction")
    return core.asyncWrites.commit(
      completion: completion(onComplete), allowGrouping: allowGrouping)
  }

  /// The program's block in the form in which the session calls it.
  private func completion(_ body: (((any Swift.Error)?) -> Void)?) -> AsyncWrites.Completion {
    guard let body else { return .none }
    let path = core.file.path
    return .callback { body($0.map { Realm.Error($0, path: path) }) }
  }

  /// Drops a block that waits for its turn, or the completion of a commit.
  ///
  /// A transaction whose block has not begun does not take place, and its completion is not called.
  /// A commit takes place, but its completion is not called. If the identifier is unknown, or its
  /// block is running, nothing happens.
  ///
  /// - Parameter asyncTransactionId: The result of `writeAsync(_:onComplete:)`,
  ///   `beginAsyncWrite(_:)` or `commitAsyncWrite(allowGrouping:_:)` of this realm.
  /// - Throws: Nothing at present.
  public func cancelAsyncWrite(_ asyncTransactionId: AsyncTransactionId) throws {
    core.checkIsolation()
    core.requireWritable()
    core.asyncWrites.cancel(asyncTransactionId)
  }
}
