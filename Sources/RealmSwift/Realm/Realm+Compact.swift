// SPDX-License-Identifier: Apache-2.0

// Compaction in small steps, while the realm is in use.

import RealmSession
import RealmStorage
import RealmTables

extension Realm {
  /// Returns a part of the file's free space to the disk, in one short transaction.
  ///
  /// Deleted objects leave free space in the file, which later transactions fill, and of which they
  /// return what exceeds half of the file. Steps of this call return most of the rest. Each moves
  /// some objects' data from the end of the file to free space before it, as a write transaction of
  /// its own: readers go on, other writers wait for one step at most. Objects and results stay
  /// valid, and observers are not notified.
  ///
  /// ```swift
  /// while try realm.compact(step: 1 << 20) {
  ///   try await Task.sleep(for: .milliseconds(50))
  /// }
  /// ```
  ///
  /// Space that an older version needs, held by a frozen object or by a realm that does not
  /// refresh, cannot be returned: the call returns `false`. `Configuration.shouldCompactOnLaunch`
  /// compacts a file at once, and more tightly, when no process has it open.
  ///
  /// Use it where the realm may be used. It traps in a write transaction, and in realms that are
  /// frozen or read-only.
  ///
  /// - Parameter byteCount: The number of bytes that a step may move, at least 4096; one object's
  ///   data may be more. A step takes about as long as a transaction that writes so much.
  /// - Returns: Whether further steps can return more.
  /// - Throws: `Realm.Error` if the step cannot be written; the file is unchanged then.
  /// - Complexity: O(`byteCount`), and O(free blocks of the file).
  @discardableResult
  public func compact(step byteCount: Int = 1 << 20) throws -> Bool {
    core.checkIsolation()
    core.requireWritable()
    if core.isInWrite { throwRealmException("Can't compact a Realm within a write transaction") }
    guard byteCount >= 4096 else {
      throwRealmException("A step of a compaction moves at least 4096 bytes, not \(byteCount)")
    }
    do throws(StorageError) {
      try core.beginWrite()
      guard let transaction = core.transaction?.transaction else { return false }
      transaction.compaction = CompactionStep(byteCount: byteCount)
      try core.commitWrite()
      return transaction.compaction?.isDone == false
    } catch { throw Realm.Error(error, path: core.file.path) }
  }
}
