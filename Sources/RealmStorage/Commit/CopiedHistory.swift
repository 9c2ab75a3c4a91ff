// SPDX-License-Identifier: Apache-2.0

// What the copy of a version takes along of its history.
//
// 1. A copy without history is a new local file: its version is 1, and it has had no reader.
// 2. A compacted file is the same file: version, history and identifier stay; those of a local file
//    only if its user wants to read them, as its copy is a new file otherwise (1).
// 3. A copy of a synchronised file for another device downloads on from the version that its
//    original has integrated. It has no identifier, so the server gives it one of its own, and no
//    entries, as those are the original's to upload: there may be none that wait for that. Its
//    version stays, so that the versions of its own entries go on from there.

/// The slots of a copy's top array that a local copy does not have.
struct CopiedHistory {
  var version: UInt64
  var type: Int
  var schemaVersion: Int
  var fileIdentifier: Int
  var root: Root

  /// The node that the history hangs on.
  enum Root {
    /// As in the original.
    case original(Ref)
    /// A new one of these slots, refs of the original among them.
    case slots([Int64])
  }

  /// What the copy of a version takes along; nil if that is nothing.
  init?(_ copy: HistoryCopy, of snapshot: Snapshot) throws(StorageError) {
    let top = try snapshot.top()
    guard copy != .none else { return nil }
    guard
      top.historyType > HistoryKind.inFile.type
        || (copy == .whole(ofLocal: true) && top.historyType == HistoryKind.inFile.type)
    else { return nil }
    version = snapshot.version
    type = top.historyType
    schemaVersion = top.historySchemaVersion
    if copy != .forAnotherDevice {
      fileIdentifier = top.fileIdentifier
      root = .original(top.history)
      return
    }
    guard let history = try snapshot.syncHistory() else { return nil }
    guard try !history.hasPendingUploads() else {
      throw .pendingUploads(path: snapshot.file.path)
    }
    fileIdentifier = 0
    root = .slots(try history.slotsForAnotherDevice())
  }
}

extension SyncHistory {
  /// The slots of the history of a copy that another device synchronises.
  fileprivate func slotsForAnotherDevice() throws(StorageError) -> [Int64] {
    var copy = self
    copy.fileSalt = 0
    copy.progress.download.clientVersion = 0
    copy.progress.upload = SyncProgress.Cursor()
    copy.progress.uploadedByteCount = 0
    copy.progress.uploadableByteCount = 0
    copy.local = .null
    copy.changesets = .null
    copy.reciprocals = .null
    copy.remoteVersions = .null
    copy.originFiles = .null
    copy.originTimestamps = .null
    return try copy.slots()
  }
}
