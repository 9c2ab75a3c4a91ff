// SPDX-License-Identifier: Apache-2.0

// Reading what synchronisation keeps in a version.

extension Snapshot {
  /// The history of a synchronised file as of this version; nil in local files, and in one that was
  /// never committed to.
  ///
  /// - Throws: `StorageError.corrupted`, and `.unsupportedHistory` for forms that are too old or
  ///   too new.
  package func syncHistory() throws(StorageError) -> SyncHistory? {
    let top = try top()
    guard top.historyType == HistoryKind.syncClient.type else { return nil }
    guard SyncHistory.schemaVersions.contains(top.historySchemaVersion) else {
      throw .unsupportedHistory(path: file.path, version: top.historySchemaVersion)
    }
    return try SyncHistory(
      at: top.history, schemaVersion: top.historySchemaVersion, version: version, in: space,
      of: self)
  }
}
