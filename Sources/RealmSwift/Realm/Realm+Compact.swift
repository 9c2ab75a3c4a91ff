// SPDX-License-Identifier: Apache-2.0

// Compaction in small steps, while the realm is in use.

import RealmSession
import RealmStorage
import RealmTables

extension Realm {
  /// Gives a part of the file's free space back to the disk, in one short transaction.
  ///
  /// Deleted objects leave free space in the file, which later transactions fill, and of which they
  /// give back what is more than half of the file. Steps of this call give back most of the rest.
  /// Each moves some objects' data from the end of the file to free space before it, as a write
  /// transaction of its own: readers go on, other writers wait for one step at most. Objects and
  /// results stay valid, and observers are not notified.
  ///
  /// ```swift
  /// while try realm.compact(step: 1 << 20) {
  ///   try await Task.sleep(for: .milliseconds(50))
  /// }
  /// ```
  ///
  /// Space that an older version needs, as a frozen object or a realm that does not refresh has it,
  /// cannot be given back: the call returns `false`. `Configuration.shouldCompactOnLaunch` compacts
  /// a file at once, and more tightly, when nobody has it open.
  ///
  /// Use it where the realm may be used. It traps in a write transaction, and in realms that are
  /// frozen or read-only.
  ///
  /// - Parameter byteCount: How many bytes a step may move, at least 4096; one object's data may be
  ///   more. A step takes about as long as a transaction that writes so much.
  /// - Returns: Whether further steps can give more back.
  /// - Throws: `Realm.Error` if the step cannot be written; the file is as it was then.
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
