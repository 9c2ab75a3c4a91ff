// SPDX-License-Identifier: Apache-2.0

// What a reset or an adoption has to upload, as versions of its file.
//
// 1. The history has a version for each changeset, in their order.
// 2. All versions become durable and visible together.
// 3. Each changeset can be uploaded: a larger one is divided.

import RealmStorage
import RealmSyncProtocol
import RealmTables

/// Changesets that begin the history of a file.
struct UploadVersions {
  private struct Upload {
    /// The version of the own change that it stands for; 0 for what the server lacked.
    let origin: UInt64
    let timestamp: Int64
    /// As the file has it, mostly compressed: together they may be the whole content.
    let stored: [UInt8]
    let byteCount: Int
  }

  private let limit: UploadLimit
  private var uploads: [Upload] = []
  private var failure: ResetError?

  init(limit: UploadLimit = .standard) { self.limit = limit }

  /// Adds a changeset, in parts if it is too large.
  ///
  /// - Parameter origin: The version of the own change that it stands for; 0 for none.
  mutating func append(_ changeset: Changeset, origin: UInt64, timestamp: Int64) {
    guard let parts = changeset.encoded(within: limit) else {
      failure = .storage(
        .limitExceeded(
          "A value is larger than the \(limit.byteCount) bytes that can be uploaded at once"))
      return
    }
    for part in parts { append(part, origin, timestamp) }
  }

  /// Adds the bytes of a changeset.
  mutating func append(_ bytes: [UInt8], origin: UInt64, timestamp: Int64) {
    // No instruction has fewer bytes.
    if bytes.count <= min(limit.byteCount, 2 * limit.instructionCount) {
      return append(bytes, origin, timestamp)
    }
    do throws(ChangesetError) {
      append(try ChangesetParser.parse(bytes), origin: origin, timestamp: timestamp)
    } catch {
      failure = .unfit("\(error)")
    }
  }

  /// Checks that each changeset can be uploaded.
  func check() throws(ResetError) { if let failure { throw failure } }

  /// Whether a version has more than one changeset.
  var areDivided: Bool {
    zip(uploads, uploads.dropFirst()).contains { $0.origin == $1.origin }
  }

  private mutating func append(_ bytes: [UInt8], _ origin: UInt64, _ timestamp: Int64) {
    guard !bytes.isEmpty else { return }
    uploads.append(
      Upload(
        origin: origin, timestamp: timestamp, stored: StoredChangesetFraming.encode(bytes),
        byteCount: bytes.count))
  }

  /// The version of the last changeset up to an own change.
  ///
  /// - Parameter base: The version before the first changeset.
  func version(through origin: UInt64, base: UInt64) -> UInt64 {
    base + UInt64(uploads.prefix { $0.origin <= origin }.count)
  }

  /// Ends a transaction, and writes a version for each changeset.
  ///
  /// - Parameter serverVersion: That of the server with which the objects are as before them.
  func commit(_ group: WriteGroup, serverVersion: UInt64) throws(StorageError) {
    assert(group.recorder == nil, "what stands for changes is not recorded")
    func note(_ upload: Upload, in transaction: WriteTransaction) {
      transaction.syncEntry = SyncEntry(
        changeset: upload.stored, remoteVersion: serverVersion, originTimestamp: upload.timestamp)
      transaction.syncEntryByteCount = upload.byteCount
    }
    if let first = uploads.first { note(first, in: group.transaction) }
    var pending = try group.writeVersion()
    do throws(StorageError) {
      for upload in uploads.dropFirst() {
        let transaction = try pending.begin()
        pending = try transaction.orRollback { () throws(StorageError) in
          note(upload, in: transaction)
          return try transaction.writeVersion(changeset: [])
        }
      }
    } catch {
      pending.discard()
      throw error
    }
    try pending.makeDurable()
  }
}
