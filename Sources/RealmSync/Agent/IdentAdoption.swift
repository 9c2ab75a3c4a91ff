// SPDX-License-Identifier: Apache-2.0

// The server gives a file its identifier (P5 3).

package import RealmStorage
package import RealmSyncProtocol

/// Stores the identifier of a file, and puts it into earlier recordings.
package enum IdentAdoption {
  /// The first identifier beyond the room in object keys.
  package static let limit: UInt64 = 1 << 30

  /// Stores the identifier and its salt, with all dependent values, in one commit.
  ///
  /// Storing the same again changes nothing.
  package static func adopt(
    _ ident: FileIdentifier, salt: UInt64, in file: DatabaseFile
  ) throws(IntegrationError) {
    guard ident.rawValue >= 1, ident.rawValue < limit, salt >= 1,
      salt <= UInt64(Int64.max)
    else {
      throw .badIdentifier("\(ident.rawValue) with salt \(salt)")
    }
    let transaction = try IntegrationError.storing(file.beginWrite())
    try transaction.orRollback { () throws(IntegrationError) in
      let old = try IntegrationError.storing(transaction.fileIdentifier)
      let oldSalt = try IntegrationError.storing(transaction.syncHistory().fileSalt)
      guard old == 0 else {
        guard old == Int(ident.rawValue), oldSalt == Int64(salt) else {
          throw .badIdentifier("\(ident.rawValue) after \(old)")
        }
        return transaction.rollback()
      }
      try IntegrationError.storing(store(ident, salt, transaction))
    }
  }

  private static func store(
    _ ident: FileIdentifier, _ salt: UInt64, _ transaction: WriteTransaction
  ) throws(StorageError) {
    try rewrite(transaction, ident)
    try transaction.setFileIdentifier(Int(ident.rawValue), salt: Int64(salt))
    try transaction.updateSyncProgress { progress in
      progress.download.clientVersion = 0
      progress.upload.clientVersion = 0
    }
    _ = try transaction.commit(changeset: [])
  }

  private static func rewrite(
    _ transaction: WriteTransaction, _ ident: FileIdentifier
  ) throws(StorageError) {
    if try !transaction.syncHistory().isUpgraded {
      try transaction.upgradeSyncHistory { StoredChangesetFraming.encode($0) }
    }
    let history = try transaction.syncHistory()
    var cursor = history.heads(after: 0)
    while let head = try cursor.next() {
      guard head.isUploadable else { continue }
      var entry = try history.entry(at: head.version)
      let old = try StoredChangeset.byteCount(of: entry.changeset)
      let isChanged = try replace(&entry.changeset, ident)
      var isReciprocalChanged = false
      if var reciprocal = entry.reciprocal {
        isReciprocalChanged = try replace(&reciprocal, ident)
        entry.reciprocal = reciprocal
      }
      guard isChanged || isReciprocalChanged else { continue }
      try transaction.replaceSyncEntry(
        at: head.version, with: entry,
        sizeChange: try StoredChangeset.byteCount(of: entry.changeset) - old)
    }
  }

  private static func replace(
    _ stored: inout [UInt8], _ ident: FileIdentifier
  ) throws(StorageError) -> Bool {
    let (changeset, isChanged) = try StoredChangeset.parse(stored, replacingOwnFileBy: ident)
    guard isChanged else { return false }
    stored = StoredChangesetFraming.encode(ChangesetEncoder.encode(changeset))
    return true
  }
}
