// SPDX-License-Identifier: Apache-2.0

// Writes in the open transaction, or in one of its own if none is open.

import RealmSession

extension Realm {
  /// Runs `block` in the open write transaction, or in one of its own.
  ///
  /// For functions that change objects and are called by others that do as well:
  ///
  /// ```swift
  /// func finish(_ todo: Todo) throws {
  ///   try todo.realm?.writeOrJoin { todo.isDone = true }
  /// }
  /// ```
  ///
  /// In an open transaction nothing is committed here, and if `block` throws, its changes stay: the
  /// caller that began the transaction decides, and `write` undoes all of it if the error reaches
  /// it.
  ///
  /// - Parameters:
  ///   - tokens: Observations of this realm that are not notified of a transaction of its own.
  ///   - block: Changes objects.
  /// - Throws: The errors of `block`, and `Realm.Error` if the changes cannot be written.
  @discardableResult
  public func writeOrJoin<Result>(
    withoutNotifying tokens: [NotificationToken] = [], _ block: () throws -> Result
  ) throws -> Result {
    core.checkIsolation()
    if core.isInWrite { return try block() }
    return try write(withoutNotifying: tokens, block)
  }
}
