// SPDX-License-Identifier: Apache-2.0

// Write transactions on synchronised files.
//
// 1. Every commit to a synchronised file adds one entry (`SyncHistory` 1): the one that was set, or
//    the empty entry of a local commit.
// 2. All changes are made to one working copy, in the order of the calls.
//
// A change that throws leaves the working copy in no defined state: the caller rolls back.

extension WriteTransaction {
  /// The entry of the commit that the transaction ends with; nil for the empty entry of a local
  /// commit. Only of synchronised files, as everything here.
  ///
  /// The remote version of a local entry is that of the download cursor, whatever it says.
  package var syncEntry: SyncEntry? {
    get { syncEdit?.entry }
    set { edit.entry = newValue }
  }

  /// The uncompressed size of the changeset of `syncEntry`, by which a local one makes the number
  /// of bytes to be uploaded grow.
  package var syncEntryByteCount: Int {
    get { syncEdit?.entryByteCount ?? 0 }
    set { edit.entryByteCount = newValue }
  }

  /// The history as the transaction has made it, without the entry of its commit.
  package func syncHistory() throws(StorageError) -> SyncHistory {
    if let history = edit.history { return history }
    let top = try base.top()
    try base.file.options.history.requireCompatible(with: top, path: base.file.path)
    let history =
      top.slotCount == 0
      ? SyncHistory(version: base.version, in: allocator.space, of: base)
      : try SyncHistory(
        at: top.history, schemaVersion: top.historySchemaVersion, version: base.version,
        in: allocator.space, of: base)
    edit.history = history
    return history
  }

  /// The cursors and counters as the transaction has made them.
  package var syncProgress: SyncProgress {
    get throws(StorageError) { try syncHistory().progress }
  }

  /// Changes cursors and counters. That they do not go back is for the caller to see to:
  /// a reset lets them.
  package func updateSyncProgress(_ body: (inout SyncProgress) -> Void) throws(StorageError) {
    var history = try syncHistory()
    body(&history.progress)
    store(history)
  }

  /// The identifier that the server has given the file, as of now; 0 if there is none.
  package var fileIdentifier: Int {
    get throws(StorageError) {
      if let new = syncEdit?.fileIdentifier { return new }
      return try base.top().fileIdentifier
    }
  }

  /// Stores the identifier that the server has given the file, and its salt.
  package func setFileIdentifier(_ identifier: Int, salt: Int64) throws(StorageError) {
    guard identifier >= 0, salt >= 0 else {
      throw .limitExceeded("The identifier of a file has more than 63 bits")
    }
    var history = try syncHistory()
    history.fileSalt = salt
    store(history)
    edit.fileIdentifier = identifier
  }

  /// Drops the entries of the versions up to `version`.
  package func trimSyncHistory(through version: UInt64) throws(StorageError) {
    var history = try syncHistory()
    try history.trim(through: version, allocator)
    store(history)
  }

  /// Drops the entries that neither the server nor a merge needs any more
  /// (`SyncHistory.trimmableVersion()`).
  package func trimSyncHistory() throws(StorageError) {
    var history = try syncHistory()
    try history.trim(through: try history.trimmableVersion(), allocator)
    store(history)
  }

  /// Replaces the entry of one version, its remote version included.
  ///
  /// - Parameter sizeChange: By how many uncompressed bytes the changeset becomes longer; the bytes
  ///   to be uploaded are corrected by it.
  package func replaceSyncEntry(
    at version: UInt64, with entry: SyncEntry, sizeChange: Int = 0
  ) throws(StorageError) {
    var history = try syncHistory()
    try history.replace(at: version, with: entry, sizeChange: sizeChange, allocator)
    store(history)
  }

  /// Stores how the changeset of one version is transformed; nil if it is the same again.
  package func setSyncReciprocal(_ bytes: [UInt8]?, at version: UInt64) throws(StorageError) {
    var history = try syncHistory()
    try history.setReciprocal(bytes, at: version, allocator)
    store(history)
  }

  /// Brings the history to the newest schema version, if it is of an older one.
  ///
  /// - Parameter compress: Gives the stored form of a changeset that is not empty.
  package func upgradeSyncHistory(
    compress: ([UInt8]) throws(StorageError) -> [UInt8]
  ) throws(StorageError) {
    var history = try syncHistory()
    try history.upgrade(allocator, compress: compress)
    store(history)
  }

  private func store(_ history: SyncHistory) { edit.history = history }

  private var edit: SyncEdit {
    get {
      precondition(
        base.file.options.history == .syncClient, "a local file has no history of synchronisation")
      precondition(!isEnded, "a write transaction was changed after its end")
      return syncEdit ?? SyncEdit()
    }
    set { syncEdit = newValue }
  }
}

/// The changes of one transaction to a synchronised file's history.
struct SyncEdit {
  /// The entry of the commit; nil for the empty one of a local commit.
  var entry: SyncEntry?
  /// The uncompressed size of the entry's changeset.
  var entryByteCount = 0
  /// The history as it is now; nil until it is asked for.
  var history: SyncHistory?
  /// The new identifier of the file; nil if it stays.
  var fileIdentifier: Int?
}
