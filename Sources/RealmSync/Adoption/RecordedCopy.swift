// SPDX-License-Identifier: Apache-2.0

// The objects of a realm become the content of a new synchronised file, whose first session uploads
// them.
//
// 1. Each version has an entry with what it wrote, of a size that can be uploaded.

import RealmReplication
package import RealmStorage
package import RealmSyncProtocol
package import RealmTables

/// Writes the classes and objects of a realm into a new synchronised file.
package struct RecordedCopy {
  /// The size of a changeset.
  private static let batchByteCount = 256 << 10

  private let file: DatabaseFile
  private let schemas = SchemaCache()
  private let now: OriginTimestamp
  private let limit: UploadLimit

  /// - Parameters:
  ///   - file: A file without any version, opened with the history of a synchronised client.
  ///   - limit: That of a changeset to be uploaded.
  package init(
    _ file: DatabaseFile, now: OriginTimestamp = .now(), limit: UploadLimit = .standard
  ) {
    self.limit = limit
    precondition(file.options.history == .syncClient, "a local file was to be synchronised")
    self.file = file
    self.now = now
  }

  /// Writes everything of `source`, in several commits.
  ///
  /// - Throws: `StorageError.limitExceeded` for a value that changesets cannot have.
  package func write(_ source: some TableReader) throws(StorageError) {
    var writer = ObjectStateWriter(source)
    try writer.appendSchema()
    try commit(writer.take())
    for schema in try source.classSchemas() where schema.kind == .topLevel {
      guard let table = try source.readTable(schema.key) else { continue }
      var cursor = table.clusterCursor()
      while let cluster = try cursor.next() {
        for index in 0..<cluster.count {
          try writer.append(cluster.key(at: index), in: schema.key)
          if writer.byteCount >= Self.batchByteCount { try commit(writer.take()) }
        }
      }
    }
    try commit(writer.take())
  }

  private func commit(_ bytes: [UInt8]) throws(StorageError) {
    if bytes.isEmpty { return }
    guard bytes.count > limit.byteCount else { return try commitPart(bytes) }
    let changeset: Changeset
    do throws(ChangesetError) {
      changeset = try ChangesetParser.parse(bytes)
    } catch {
      throw .limitExceeded("A value of the realm cannot be uploaded: \(error)")
    }
    guard let parts = changeset.encoded(within: limit) else {
      throw .limitExceeded(
        "A value of the realm cannot be uploaded: it has more than \(limit.byteCount) bytes")
    }
    for part in parts { try commitPart(part) }
  }

  /// Writes what can be uploaded at once.
  private func commitPart(_ bytes: [UInt8]) throws(StorageError) {
    let group = try WriteGroup(file.beginWrite(), schemas: schemas)
    try group.commit { (group) throws(StorageError) in
      do {
        var applier = InstructionApplier(group)
        try applier.apply(ChangesetParser.parse(bytes))
      } catch ApplyError.storage(let error) {
        throw error
      } catch {
        throw .limitExceeded("A value of the realm cannot be uploaded: \(error)")
      }
      group.transaction.syncEntry = SyncEntry(
        changeset: StoredChangesetFraming.encode(bytes),
        originTimestamp: Int64(clamping: now.milliseconds))
      group.transaction.syncEntryByteCount = bytes.count
    }
  }
}
