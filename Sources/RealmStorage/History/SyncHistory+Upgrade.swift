// SPDX-License-Identifier: Apache-2.0

// Bringing the history of a synchronised file from schema version 11 to 12.
//
// 1. An empty changeset stays empty and a missing reciprocal stays missing, in both versions.

extension SyncHistory {
  /// Whether the history is of the newest schema version.
  package var isUpgraded: Bool { schemaVersion == Self.schemaVersions.upperBound }

  /// Compresses the changesets and reciprocals of all entries, if that was not done.
  mutating func upgrade(
    _ allocator: NodeAllocator, compress: ([UInt8]) throws(StorageError) -> [UInt8]
  ) throws(StorageError) {
    if isUpgraded { return }
    changesets = try Self.compressed(changesets, allocator, compress)
    reciprocals = try Self.compressed(reciprocals, allocator, compress)
    schemaVersion = Self.schemaVersions.upperBound
    schemaLog = try SyncSchemaLog.append(schemaVersion, at: version, to: schemaLog, allocator)
  }

  /// Begins the log of schema versions of a new history.
  mutating func beginLog(_ allocator: NodeAllocator) throws(StorageError) {
    schemaLog = try SyncSchemaLog.append(schemaVersion, at: version, to: schemaLog, allocator)
  }

  private static func compressed(
    _ tree: Ref, _ allocator: NodeAllocator, _ compress: ([UInt8]) throws(StorageError) -> [UInt8]
  ) throws(StorageError) -> Ref {
    guard !tree.isNull else { return tree }
    var new = try Bytes.make(in: allocator)
    for index in 0..<(try Bytes.count(tree, in: allocator.space)) {
      var bytes = try bytes(at: index, of: tree, in: allocator.space)
      if let old = bytes, !old.isEmpty { bytes = try compress(old) }
      new = try append(bytes, to: new, allocator)
    }
    try allocator.freeTree(tree)
    return new
  }
}
