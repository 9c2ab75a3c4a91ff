// SPDX-License-Identifier: Apache-2.0

// Write transactions that suspend the task instead of blocking its actor.
//
// 1. The task waits for its turn without a thread, at the file's `WriterScheduler`.
// 2. The block runs on the actor, in one piece.
// 3. The new version is written to the file and shown at once. A queue of this library waits for
//    the disk; meanwhile the actor is free.

import RealmSession
import RealmStorage
import RealmTables

extension Realm {
  /// Runs `block` in a write transaction, without blocking the actor while it waits for its turn
  /// and while the data is written.
  ///
  /// The realm first advances to the newest version. If `block` throws, its changes are undone. If
  /// the task is cancelled while it waits, the block is not called; afterwards cancellation has no
  /// effect on this call.
  ///
  /// Writes of one realm, those of `writeAsync(_:onComplete:)` included, run in the order of their
  /// requests. Code of the actor that runs before the call returns sees the changes: the realm
  /// shows them from the end of the block on.
  ///
  /// ```swift
  /// let todo = try await realm.asyncWrite {
  ///   realm.create(Todo.self, value: ["name": "Water the plants"])
  /// }
  /// ```
  ///
  /// - Returns: The result of `block`, after the data has reached the disk, and the observers of
  ///   this realm were notified.
  /// - Throws: The errors of `block`, `Realm.Error` if the data cannot be written, and
  ///   `CancellationError`.
  @discardableResult
  public func asyncWrite<Result>(
    _isolation actor: isolated any Actor = #isolation, _ block: () throws -> Result
  ) async throws -> Result {
    core.requireActor("asyncWrite()")
    core.requireWritable()
    let place = core.asyncWrites.enter()
    defer { core.asyncWrites.operationEnds() }
    do {
      defer { core.asyncWrites.leave(place) }
      try core.requireNoDamage()
      try core.begin(
        await core.file.beginWrite(in: core.confinement, isolation: actor))
    } catch let error as StorageError {
      throw Realm.Error(error, path: core.file.path)
    }
    assert(core.isInWrite, "the transaction ended before the block began")
    let result: Result
    do {
      result = try block()
    } catch {
      if core.isInWrite { core.cancelWrite() }
      throw error
    }
    if core.isInWrite { try await core.commitDurably(isolation: actor) }
    return result
  }

  /// Runs `block` in a write transaction and passes the realm to it; otherwise like `asyncWrite`
  /// with a block without arguments.
  ///
  /// ```swift
  /// actor Shop {
  ///   private var realm: Realm!
  ///
  ///   func addCustomer(named name: String) async throws -> ObjectId {
  ///     let customer = Customer()
  ///     customer.name = name
  ///     return try await realm.asyncWrite { realm in
  ///       realm.add(customer)
  ///       return customer._id
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// - Returns: The result of `block`, after the data has reached the disk.
  /// - Throws: The errors of `block`, `Realm.Error` if the data cannot be written, and
  ///   `CancellationError`.
  @discardableResult
  public func asyncWrite<Result>(
    _isolation actor: isolated any Actor = #isolation, _ block: (Realm) throws -> Result
  ) async throws -> Result {
    try await asyncWrite(_isolation: actor) { try block(self) }
  }

  /// Advances to the newest version, and notifies observers of it, without blocking the actor while
  /// change sets are computed.
  ///
  /// - Returns: Whether there was a newer version. False if the task is cancelled.
  @discardableResult
  public func asyncRefresh(_isolation actor: isolated any Actor = #isolation) async -> Bool {
    core.requireActor("asyncRefresh()")
    if core.isFrozen { return false }
    if core.isReadOnly {
      throwRealmException("Read-only Realms do not change and cannot be refreshed.")
    }
    if Task.isCancelled { return false }
    let version = core.shownTables?.version
    let notifier = core.shared.notifier
    await withCheckedContinuation { continuation in
      notifier.afterNextPass { continuation.resume() }
    }
    // The delivery of the prepared version may have been faster.
    if Task.isCancelled { return false }
    return refresh() || version != core.shownTables?.version
  }
}

extension RealmCore {
  /// Traps unless this realm is confined to an actor.
  func requireActor(_ function: String) {
    switch confinement {
    case .main, .actor: checkIsolation()
    case .frozen: break
    case .thread, .queue:
      throwRealmException(
        "\(function) can only be called on main thread or actor-isolated Realms")
    }
  }

  /// Commits the open transaction; the actor is free until it is durable.
  fileprivate func commitDurably(isolation actor: isolated any Actor) async throws {
    let outcome = await withCheckedContinuation { asyncWrites.commit(resuming: $0) }
    // A caller that then ends its observers has had their calls.
    guard case .failure(let error) = outcome else { return deliverShown() }
    leaveLostVersion()
    throw Realm.Error(error, path: file.path)
  }
}
