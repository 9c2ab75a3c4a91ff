// SPDX-License-Identifier: Apache-2.0

// Appending to a realm in a file: entries, and what moves with them.

import RealmStorage
import RealmSyncProtocol
import RealmTables

extension EmbeddedRealm {
  func append(
    expecting version: UInt64, epoch: UInt64,
    _ build: (WriteGroup) throws(StoreError) -> Batch?
  ) throws(StoreError) -> RealmHead? {
    var result: RealmHead?
    var stored: Batch?
    _ = try write { (group) throws(StoreError) in
      var head = try StoreError.storing { () throws(StorageError) in try self.head(of: group) }
      guard head.epoch == epoch else { throw .fenced }
      guard head.version == version else { throw .conflict(head) }
      guard let batch = try build(group) else { return false }
      try check(batch, after: head)
      for file in batch.files { try store(file, in: group) }
      for file in batch.forgotten { try forget(file, in: group) }
      try StoreError.storing { () throws(StorageError) -> Void in
        for entry in batch.entries { try store(entry, in: group) }
        for change in batch.reciprocals {
          try store(change.changeset, .reciprocals, change.file, change.version, in: group)
        }
        for change in batch.privates { try store(change, in: group) }
        if let last = batch.entries.last {
          (head.version, head.salt) = (last.version, last.salt)
          head.totalByteCount = last.totalByteCount
        }
        if let through = batch.trimsThrough {
          try trimHistory(from: head.base, through: through, in: group)
          head.base = max(head.base, through)
        }
        if let through = batch.skipsThrough { head.base = max(head.base, through) }
        let row = try ServerRow(.meta, at: ServerTables.metaKey, in: group, isNew: false)
        try row.set(head.version, "version")
        try row.set(head.salt, "salt")
        try row.set(.int(Int64(head.totalByteCount)), "total_size")
        try row.set(head.base, "base")
      }
      result = head
      stored = batch
      return true
    }
    if let stored { recent.withLock { $0.append(stored) } }
    return result
  }

  private func check(_ batch: Batch, after head: RealmHead) throws(StoreError) {
    var version = head.version
    for entry in batch.entries {
      version += 1
      guard entry.version == version, entry.salt != 0 else {
        throw .outOfOrder("version \(entry.version) follows \(version - 1)")
      }
    }
    guard version < ServerTables.versionLimit else { throw .limit("a realm has no versions left") }
    if let through = batch.trimsThrough, through > version {
      throw .outOfOrder("version \(through) is trimmed before it exists")
    }
    for change in batch.reciprocals where change.version > version {
      throw .outOfOrder("version \(change.version) has a reciprocal before it exists")
    }
  }

  private func store(_ entry: StoredEntry, in group: WriteGroup) throws(StorageError) {
    let key = ObjectKey(Int64(bitPattern: entry.version))
    let row = try ServerRow(.history, at: key, in: group, isNew: true)
    try row.set(entry.salt, "salt")
    try row.set(entry.file.rawValue, "file")
    try row.set(entry.clientVersion, "client_version")
    try row.set(entry.timestamp.milliseconds, "timestamp")
    try row.set(entry.committed.milliseconds, "committed")
    try row.set(.int(Int64(entry.originalByteCount)), "original_size")
    try row.set(.int(Int64(entry.totalByteCount)), "total_size")
    try row.set(.binary(entry.changeset), "changeset")
    guard !entry.touches.isEmpty else { return }
    let touches = try ServerRow(.touches, at: key, in: group, isNew: true)
    try touches.set(.binary(TouchWriter.encode(entry.touches)), "touches")
  }

  private func store(
    _ changeset: [UInt8], _ kind: ServerTables, _ ident: FileIdentifier, _ version: UInt64,
    in group: WriteGroup
  ) throws(StorageError) {
    let key = ServerTables.key(ident, version)
    let isNew = try reader(kind, key, of: group) == nil
    try ServerRow(kind, at: key, in: group, isNew: isNew).set(.binary(changeset), "changeset")
  }

  private func store(_ change: PrivateChange, in group: WriteGroup) throws(StorageError) {
    guard !change.isRemoval else {
      return try trim(.privates, change.file, change.version...change.version, in: group)
    }
    try store(change.changeset, .privates, change.file, change.version, in: group)
    let key = ServerTables.key(change.file, change.version)
    let row = try ServerRow(.privates, at: key, in: group, isNew: false)
    try row.set(change.timestamp.milliseconds, "timestamp")
    try row.set(.binary(TouchWriter.encode(objects: change.objects)), "objects")
  }

  private func trimHistory(
    from base: UInt64, through version: UInt64, in group: WriteGroup
  ) throws(StorageError) {
    guard base < version else { return }
    for kind in [ServerTables.history, .touches] {
      guard let table = try group.table(named: kind.rawValue) else { continue }
      for version in base + 1...version {
        let key = ObjectKey(Int64(bitPattern: version))
        if try table.row(of: key) != nil { try table.delete(key) }
      }
    }
  }
}
