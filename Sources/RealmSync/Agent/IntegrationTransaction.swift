// SPDX-License-Identifier: Apache-2.0

// One commit of changes from the server: merged, carried out, and noted in the history.
//
// 1. An integration is not recorded.
// 2. The commit adds one entry, without a changeset, with the origin of the last changeset.
// 3. Cursors never go back.

import RealmReplication
package import RealmStorage
package import RealmSyncProtocol
import RealmTables

/// A write transaction for integrating changesets.
struct IntegrationTransaction {
  let group: WriteGroup
  let file: FileIdentifier
  /// The own changesets: the kept ones, then those after the first base.
  private(set) var own: OwnEntries?
  private var isOwnCurrent = false
  private var applier: InstructionApplier
  private var last: ChangesetOrigin?
  /// What the changes that wait for their upload have lost; nil if it is nothing.
  private(set) var loss: UploadLoss?
  private var downloadedByteCount = 0

  private var transaction: WriteTransaction { group.transaction }

  /// The transaction ends when this throws.
  ///
  /// - Parameter own: The own changesets of an earlier commit.
  init(
    _ transaction: WriteTransaction, schemas: SchemaCache, own: OwnEntries? = nil
  ) throws(StorageError) {
    self.own = own
    if try !transaction.syncHistory().isUpgraded {
      try transaction.upgradeSyncHistory { StoredChangesetFraming.encode($0) }
    }
    group = try WriteGroup(transaction, schemas: schemas)
    file = FileIdentifier(UInt64(try transaction.fileIdentifier))
    applier = InstructionApplier(group, file: file)
  }

  /// Checks cursors against those of the file.
  func check(_ new: SyncCursors) throws(IntegrationError) {
    let old = try IntegrationError.storing(transaction.syncProgress).cursors
    guard new.isInRange else { throw .badProgress("a number is out of range") }
    guard !new.goesBack(from: old) else { throw .badProgress("\(new) after \(old)") }
    guard new.upload.clientVersion <= transaction.base.version else {
      throw .badProgress("a version is acknowledged that does not exist")
    }
    guard new.download.clientVersion <= new.upload.clientVersion,
      new.download.serverVersion <= new.latest.version
    else { throw .badProgress("cursors contradict each other: \(new)") }
  }

  /// Checks the versions of changesets against their message.
  func check(
    _ entries: some Collection<IncomingChangeset>, _ cursors: SyncCursors
  ) throws(IntegrationError) {
    let old = try IntegrationError.storing(transaction.syncProgress)
    for entry in entries {
      let origin = entry.changeset.origin
      guard origin.version <= cursors.download.serverVersion,
        origin.remoteVersion <= cursors.download.clientVersion,
        origin.version >= old.download.serverVersion, origin.file != file
      else { throw .badProgress("an entry of version \(origin.version) does not fit its message") }
    }
  }

  /// Merges changesets of one base with the own ones after it.
  ///
  /// - Returns: Whether an own changeset was altered; then all of them must be applied.
  mutating func merge(
    _ changesets: inout [Changeset], _ transformer: inout Transformer
  ) throws(IntegrationError) -> Bool {
    guard let base = changesets.first?.origin.remoteVersion else { return false }
    if !isOwnCurrent {
      try IntegrationError.storing(readOwn(after: base))
      isOwnCurrent = true
    }
    do throws(MergeError) {
      return try own?.merge(&changesets, after: base, ownIdent: file, &transformer) ?? false
    } catch {
      throw .unmergeableChangeset(error)
    }
  }

  private mutating func readOwn(after base: UInt64) throws(StorageError) {
    let history = try transaction.syncHistory()
    if try own?.update(history, after: base, of: file) ?? false { return }
    own = try OwnEntries(history, after: base, of: file)
  }

  /// Carries a merged changeset out.
  mutating func apply(
    _ changeset: Changeset, originalByteCount: UInt64
  ) throws(IntegrationError) {
    assert(group.recorder == nil, "IntegrationTransaction 1")
    do throws(ApplyError) { try applier.apply(changeset) } catch { throw IntegrationError(error) }
    last = changeset.origin
    downloadedByteCount = Self.sum(downloadedByteCount, Int(clamping: originalByteCount))
  }

  /// Notes the integration in the history; the commit follows.
  ///
  /// - Parameters:
  ///   - cursors: The new cursors; nil if they stay.
  ///   - downloadableByteCount: The known number of bytes to come; nil if it stays.
  mutating func finish(
    _ cursors: SyncCursors?, downloadableByteCount: Int? = nil
  ) throws(StorageError) {
    let transaction = transaction
    if let count = own?.droppedInstructionCount, count > 0, let last {
      loss = UploadLoss(instructionCount: count, serverVersion: last.version)
    }
    try own?.store(in: transaction)
    var passed = 0
    if let cursors { passed = try uploadedByteCount(through: cursors.upload.clientVersion) }
    let (downloadedByteCount, uploadedByteCount) = (downloadedByteCount, passed)
    try transaction.updateSyncProgress { stored in
      if let cursors {
        assert(!cursors.goesBack(from: stored.cursors), "IntegrationTransaction 3")
        stored.take(cursors)
      }
      if let downloadableByteCount { stored.downloadableByteCount = downloadableByteCount }
      stored.downloadedByteCount = Self.sum(stored.downloadedByteCount, downloadedByteCount)
      stored.uploadedByteCount = Self.sum(stored.uploadedByteCount, uploadedByteCount)
    }
    if cursors != nil { try transaction.trimSyncHistory() }
    assert(transaction.syncEntry == nil, "IntegrationTransaction 2")
    guard let last else { return }
    transaction.syncEntry = SyncEntry(
      remoteVersion: last.version, originFile: Int(last.file.rawValue),
      originTimestamp: Int64(clamping: last.timestamp.milliseconds))
  }

  /// The server version of the last changeset.
  var lastServerVersion: UInt64? { last?.version }

  /// The cursors of a message whose entries after the last changeset are for a later commit.
  ///
  /// An entry may be older than the file's cursor in what it knows of the file: its client version
  /// counts only if it is higher (3).
  func cursors(within message: SyncCursors) throws(StorageError) -> SyncCursors {
    guard let last else { return message }
    let old = try transaction.syncProgress.download
    var cursors = message
    cursors.download = DownloadCursor(
      serverVersion: last.version, clientVersion: max(old.clientVersion, last.remoteVersion))
    return cursors
  }

  /// The sizes of the local changesets up to a new upload cursor.
  private func uploadedByteCount(through version: UInt64) throws(StorageError) -> Int {
    let history = try transaction.syncHistory()
    var cursor = history.heads(after: history.progress.upload.clientVersion)
    var total = 0
    while let head = try cursor.next(), head.version <= version {
      guard head.isUploadable else { continue }
      total = Self.sum(
        total, try StoredChangeset.byteCount(of: try history.changeset(at: head.version)))
    }
    return total
  }

  private static func sum(_ left: Int, _ right: Int) -> Int {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? .max : sum
  }
}

/// A parsed changeset of another file.
struct IncomingChangeset {
  /// Its origin has the server version, and as remote version its base: a version of this file.
  var changeset: Changeset
  let byteCount: Int
  let originalByteCount: UInt64

  init(_ entry: DownloadEntry) throws(IntegrationError) {
    let origin = ChangesetOrigin(
      version: entry.serverVersion, remoteVersion: entry.clientVersion, file: entry.file,
      timestamp: entry.timestamp)
    do throws(ChangesetError) {
      changeset = try ChangesetParser.parse(entry.changeset, origin: origin)
    } catch {
      throw .unreadableChangeset(error)
    }
    byteCount = entry.changeset.count
    originalByteCount = entry.originalByteCount
  }

  /// Parses all changesets of a message, whose versions must ascend.
  static func parse(_ entries: [DownloadEntry]) throws(IntegrationError) -> [Self] {
    var result: [Self] = []
    result.reserveCapacity(entries.count)
    for entry in entries {
      guard entry.file != .own else { throw .badProgress("an entry without a file") }
      guard entry.file.rawValue <= UInt64(Int64.max) else {
        throw .badProgress("a number of an entry is out of range")
      }
      if let last = result.last?.changeset.origin {
        guard entry.serverVersion >= last.version, entry.clientVersion >= last.remoteVersion else {
          throw .badProgress("the versions of entries go back")
        }
      }
      result.append(try IncomingChangeset(entry))
    }
    return result
  }
}

// MARK: - Cursors

extension SyncProgress {
  /// The cursors as messages have them.
  package var cursors: SyncCursors {
    SyncCursors(
      download: DownloadCursor(
        serverVersion: download.serverVersion, clientVersion: download.clientVersion),
      upload: UploadCursor(
        clientVersion: upload.clientVersion, serverVersion: upload.serverVersion),
      latest: SaltedVersion(
        version: latestServerVersion, salt: UInt64(clamping: latestServerVersionSalt)))
  }

  /// Takes the cursors of a message. A server version of 0 in the upload cursor was not said.
  fileprivate mutating func take(_ new: SyncCursors) {
    latestServerVersion = new.latest.version
    latestServerVersionSalt = Int64(clamping: new.latest.salt)
    download = Cursor(
      serverVersion: new.download.serverVersion, clientVersion: new.download.clientVersion)
    upload.clientVersion = new.upload.clientVersion
    if new.upload.serverVersion > 0 { upload.serverVersion = new.upload.serverVersion }
  }
}

extension SyncCursors {
  /// Whether all numbers have room in a file.
  var isInRange: Bool {
    [
      download.serverVersion, download.clientVersion, upload.serverVersion, upload.clientVersion,
      latest.version, latest.salt,
    ].allSatisfy { $0 <= UInt64(Int64.max) }
  }
}
