// SPDX-License-Identifier: Apache-2.0

// The kinds of history that files are opened with (file format 2.7.1).
//
// 1. A file without commits takes the kind of its opening, and its first commit writes it. A
//    committed file is only written with its own kind.
// 2. Files of every kind can be opened for reading.

/// The kind of history that the commits to an open file continue.
package enum HistoryKind: Hashable, Sendable {
  /// The history of a local file: one tree of changesets.
  case inFile
  /// The history of a synchronised file: `SyncHistory`.
  case syncClient

  /// The number of the kind in the top array.
  package var type: Int {
    switch self {
    case .inFile: 2
    case .syncClient: 3
    }
  }

  /// Checks that a file can be written with this kind.
  ///
  /// - Throws: `StorageError.incompatibleHistory` and `.unsupportedHistory`.
  func requireCompatible(with top: TopArray, path: String) throws(StorageError) {
    switch self {
    case .inFile:
      if top.historyType == 0 || (top.historyType == type && top.historySchemaVersion <= 1) {
        return
      }
      throw .incompatibleHistory(path: path, type: top.historyType)
    case .syncClient:
      if top.slotCount == 0 { return }
      guard top.historyType == type else {
        throw .incompatibleHistory(path: path, type: top.historyType, asSynchronised: true)
      }
      guard SyncHistory.schemaVersions.contains(top.historySchemaVersion) else {
        throw .unsupportedHistory(path: path, version: top.historySchemaVersion)
      }
    }
  }
}
