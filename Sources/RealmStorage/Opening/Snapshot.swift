// SPDX-License-Identifier: Apache-2.0

// One version of a database, kept alive for reading.

/// A committed version that is not overwritten while this object lives.
///
/// Making one takes no system call; its lock is held for long only while the file grows. It keeps
/// the file open and mapped.
package final class Snapshot: Sendable {
  package let file: DatabaseFile
  /// The place in memory, kept by the snapshot.
  let mapping: FileMapping
  package let version: UInt64
  /// Where the version's nodes are found.
  package let space: NodeSpace
  package let roots: VersionRoots
  /// The node that the version hangs on; null in a file that was never committed to.
  package let topRef: Ref
  private let pin: ReaderTable.Pin
  /// Compares checksums for the space; nil if reads compare none.
  private let verifier: NodeVerifier?

  init(
    file: DatabaseFile, entry: VersionEntry, mapping: FileMapping, roots: VersionRoots,
    verifier: NodeVerifier?, pin: ReaderTable.Pin
  ) {
    self.file = file
    self.mapping = mapping
    version = entry.version
    space =
      verifier.map { NodeSpace(verifiedBy: $0) } ?? mapping.space(through: entry.logicalSize)
    self.verifier = verifier
    self.roots = roots
    topRef = entry.topRef
    self.pin = pin
  }

  /// The same version as `other`, elsewhere in memory. Reads compare no checksums.
  init(_ other: Snapshot, in mapping: FileMapping, pin: ReaderTable.Pin) {
    file = other.file
    self.mapping = mapping
    version = other.version
    space = mapping.space(through: other.space.fileEnd)
    verifier = nil
    roots = other.roots
    topRef = other.topRef
    self.pin = pin
  }

  deinit { file.readers.release(pin) }

  /// The same version, of which reads compare no checksums: a check does that by itself, and reads
  /// on.
  package func withoutVerification() throws(StorageError) -> Snapshot {
    verifier == nil ? self : Snapshot(self, in: mapping, pin: try file.readers.pin(version))
  }

  /// The decoded top array.
  package func top() throws(StorageError) -> TopArray { try TopArray(at: topRef, in: space) }

  /// The number of bytes that the version uses.
  package func usedByteCount() throws(StorageError) -> Int {
    let top = try top()
    let free = try FreeSpace(top, in: space)
    return top.logicalSize - free.blocks.reduce(0) { $0 + $1.byteCount }
  }
}

extension Snapshot: Equatable {
  /// Whether both are of the same version of the same file.
  package static func == (left: Snapshot, right: Snapshot) -> Bool {
    left.file === right.file && left.version == right.version
  }
}

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
