// SPDX-License-Identifier: Apache-2.0

// Write transactions that block the caller until they are durable.

import RealmSession
import RealmStorage

extension Realm {
  /// The policy if an object with the same primary key exists.
  public enum UpdatePolicy: Int, Sendable {
    /// Traps: the object must not exist.
    case error = 1
    /// All given properties are set.
    case all = 2
    /// Only properties whose values differ are set, and reported to observers.
    case modified = 3
  }

  /// Whether a write transaction is open in this realm. It may be read on any thread.
  public var isInWriteTransaction: Bool { core.isInWriteForAnyThread }

  /// Runs `block` in a write transaction, and commits it.
  ///
  /// The realm first advances to the newest version. While another transaction on the file is open,
  /// in whatever thread or process, the call waits. If `block` throws, all its changes are undone.
  /// If it ends the transaction itself, nothing more happens.
  ///
  /// - Parameters:
  ///   - tokens: Observations of this realm that are not notified of the transaction.
  ///   - block: Changes the realm.
  /// - Returns: What `block` returns.
  /// - Throws: The errors of `block`, and `Realm.Error` if the changes cannot be written.
  @discardableResult
  public func write<Result>(
    withoutNotifying tokens: [NotificationToken] = [], _ block: () throws -> Result
  ) throws -> Result {
    requireNoTransaction()
    let skipped = observers(of: tokens)
    do throws(StorageError) {
      try core.requireNoDamage()
      try core.beginWrite()
    } catch { throw Realm.Error(error, path: core.file.path) }
    let result: Result
    do {
      result = try block()
    } catch {
      if core.isInWrite { core.cancelWrite() }
      throw error
    }
    if core.isInWrite { try commit(skipping: skipped) }
    return result
  }

  /// Begins a write transaction; waits until no other one is open on the file.
  ///
  /// The realm first advances to the newest version. `write(_:)` is safer: it cannot forget to end
  /// the transaction.
  public func beginWrite() {
    requireNoTransaction()
    core.required(try core.beginWrite())
  }

  /// Makes the changes of the open write transaction durable, and visible everywhere.
  ///
  /// - Parameter tokens: Observations of this realm that are not notified of the transaction.
  /// - Throws: `Realm.Error` if the changes cannot be written; they are undone.
  public func commitWrite(withoutNotifying tokens: [NotificationToken] = []) throws {
    core.checkIsolation()
    core.asyncWrites.requireNoCompletion("commit")
    let skipped = observers(of: tokens)
    if !skipped.isEmpty {
      core.requireWrite(
        orElse: "Suppressing the notification from a write transaction must be done from inside "
          + "the write transaction.")
    }
    core.requireWrite(
      orElse: "Can't commit a non-existing write transaction. Call beginWrite() first, or use "
        + "'realm.write { … }', which commits by itself.")
    try commit(skipping: skipped)
  }

  private func commit(skipping skipped: SkippedObservers) throws {
    do throws(StorageError) {
      try core.commitWrite(skipping: skipped)
    } catch { throw Realm.Error(error, path: core.file.path) }
  }

  /// Undoes the changes of the open write transaction. Objects that it added become invalid.
  public func cancelWrite() {
    core.checkIsolation()
    core.asyncWrites.requireNoCompletion("cancel")
    core.requireWrite(
      orElse: "Can't cancel a non-existing write transaction. Call beginWrite() first; a second "
        + "cancelWrite(), or one after a commit, has nothing to undo.")
    core.cancelWrite()
  }

  private func observers(of tokens: [NotificationToken]) -> SkippedObservers {
    for token in tokens where token.isForeign(to: core) {
      throwRealmException(
        "Incorrect Realm: only notifications for the Realm being modified can be skipped.")
    }
    return SkippedObservers(tokens.compactMap(\.cancellable))
  }

  private func requireNoTransaction() {
    core.checkIsolation()
    core.requireWritable()
    core.asyncWrites.requireNoCompletion("begin")
    if core.isInWrite {
      throwRealmException(
        "The Realm is already in a write transaction. Use 'writeOrJoin' where one may be open in "
          + "the Realm at path '\(core.file.path)'.")
    }
  }
}
