// SPDX-License-Identifier: Apache-2.0

// What a commit adds to the file's history.

extension CommitWriter {
  /// Adds the commit to the history, of the kind that the file was opened with.
  ///
  /// Another process may have made the first commit, to a file that was opened as another kind.
  func extendHistory(
    _ top: inout TopArray, _ old: TopArray, _ changeset: [UInt8], oldest: UInt64
  ) throws(StorageError) {
    let kind = file.options.history
    var oldest = oldest
    let limit = file.historyLimit
    if limit > 0 {
      let root = try History.root(old, in: base.space)
      oldest = min(
        oldest,
        try History.droppable(
          from: root, making: transaction.version, keeping: limit, in: base.space))
    }
    try kind.requireCompatible(with: old, path: file.path)
    top.historyType = kind.type
    switch kind {
    case .inFile:
      top.historySchemaVersion = 1
      top.history = try History.append(
        changeset, to: old.history, making: transaction.version, oldest: oldest, allocator)
    case .syncClient:
      var history = try transaction.syncHistory()
      history.local = try History.append(
        changeset, to: history.local, making: transaction.version, oldest: oldest, allocator)
      if old.slotCount == 0 { try history.beginLog(allocator) }
      let entry = transaction.syncEntry ?? SyncEntry()
      // What is recorded is compressed, which an older history says nothing of.
      guard entry.changeset.isEmpty || history.isUpgraded else {
        throw .unsupportedHistory(path: file.path, version: history.schemaVersion)
      }
      try history.append(entry, byteCount: transaction.syncEntryByteCount, allocator)
      assert(history.version == top.version, "`SyncHistory` 1")
      top.historySchemaVersion = history.schemaVersion
      top.fileIdentifier = try transaction.fileIdentifier
      top.history = try history.write(replacing: old.history, allocator)
    }
  }
}
