// SPDX-License-Identifier: Apache-2.0

// Appending to a realm in a file: entries, client files, and what moves with them.

import RealmStorage
import RealmSyncProtocol
import RealmTables

extension EmbeddedRealm {
  func append(
    expecting version: UInt64, epoch: UInt64,
    _ build: (WriteGroup) throws(StorageError) -> Batch?
  ) throws(StoreError) -> RealmHead? {
    var stored: Batch?
    let outcome = try StoreError.storing(write(expecting: version, epoch: epoch, build, &stored))
    if let stored { recent.withLock { $0.append(stored) } }
    let head = try outcome.get()
    if let head, stored?.hasChanges == true { onHead(head) }
    return head
  }

  private func write(
    expecting version: UInt64, epoch: UInt64,
    _ build: (WriteGroup) throws(StorageError) -> Batch?, _ stored: inout Batch?
  ) throws(StorageError) -> Outcome<RealmHead?> {
    try write { (group) throws(StorageError) -> Outcome<RealmHead?> in
      let meta = try ServerTables.meta(in: group)
      var head = try RealmHead(id, meta)
      guard head.epoch == epoch else { return .failure(.fenced) }
      guard head.version == version else { return .failure(.conflict(head)) }
      guard let batch = try build(group) else { return .success(nil) }
      if let refusal = batch.refusal(after: head) { return .failure(refusal) }
      for file in batch.files {
        if let refusal = try store(file, in: group) { return .failure(refusal) }
      }
      for file in batch.forgotten { try forget(file, in: group) }
      try store(batch.entries, in: group)
      for change in batch.reciprocals {
        try row(ServerTables.reciprocals, change.file, change.version, in: group)
          .set(change.changeset, "changeset")
      }
      for change in batch.privates { try store(change, in: group) }
      if let through = batch.trimsThrough {
        try trimHistory(from: head.base, through: through, in: group)
      }
      head.advance(by: batch)
      try meta.set(head.version, "version")
      try meta.set(head.salt, "salt")
      try meta.set(Int64(head.totalByteCount), "total_size")
      try meta.set(head.base, "base")
      stored = batch
      return .success(head)
    }
  }

  private func store(_ entries: [StoredEntry], in group: WriteGroup) throws(StorageError) {
    guard !entries.isEmpty else { return }
    let history = try ServerTables.history.table(in: group)
    let touches = try ServerTables.touches.table(in: group)
    for entry in entries {
      let key = ServerTables.key(entry.version)
      try entry.write(to: history.create(under: key))
      guard !entry.touches.isEmpty else { continue }
      try touches.create(under: key).set(TouchWriter.encode(entry.touches), "touches")
    }
  }

  /// The row that belongs to a file and a version, which is made if there is none.
  private func row(
    _ layout: RecordLayout, _ ident: FileIdentifier, _ version: UInt64, in group: WriteGroup
  ) throws(StorageError) -> RecordRow {
    let table = try layout.table(in: group)
    let key = ServerTables.key(ident, version)
    if let known = try table.record(key) { return known }
    return try table.create(under: key)
  }

  private func store(_ change: PrivateChange, in group: WriteGroup) throws(StorageError) {
    guard !change.isRemoval else {
      return try trim(
        ServerTables.privates, change.file, change.version...change.version, in: group)
    }
    let row = try row(ServerTables.privates, change.file, change.version, in: group)
    try row.set(change.changeset, "changeset")
    try row.set(change.timestamp.milliseconds, "timestamp")
    try row.set(TouchWriter.encode(objects: change.objects), "objects")
    guard let refusal = change.refusal else { return }
    try row.set(refusal.clientVersion, "refused_version")
    try row.set(refusal.sent, "sent")
    guard !refusal.objects.isEmpty else { return }
    try row.set(TouchWriter.encode(objects: refusal.objects), "refused_objects")
    let unseen = refusal.objects.filter { refusal.outsideOfView.contains($0) }
    try row.set(TouchWriter.encode(objects: unseen), "unseen_objects")
  }

  private func trimHistory(
    from base: UInt64, through version: UInt64, in group: WriteGroup
  ) throws(StorageError) {
    guard base < version else { return }
    for layout in [ServerTables.history, ServerTables.touches] {
      let table = try layout.table(in: group)
      try table.delete(table.keys(in: ServerTables.key(base + 1)...ServerTables.key(version)))
    }
  }

  // MARK: Client files

  func allocateFile(for user: String, now: OriginTimestamp) throws(StoreError) -> ClientFile {
    var first = firstIdent.withLock { $0 }
    let file = try StoreError.storing(
      write { (group) throws(StorageError) -> Outcome<ClientFile?> in
        guard let ident = try GivenIdents(in: group).next(after: &first, salts) else {
          return .failure(.limit("a realm has no files left"))
        }
        let file = ClientFile(
          ident: FileIdentifier(ident), salt: salts.next(), user: user, lastSeen: now)
        try file.write(
          to: ServerTables.files.table(in: group).create(under: ServerTables.key(file.ident)))
        return .success(file)
      }
    ).get()
    guard let file else { throw .damaged("a file was not allocated") }
    firstIdent.withLock { $0 = first }
    return file
  }

  /// Stores a file in its new state; returns why not.
  private func store(_ file: ClientFile, in group: WriteGroup) throws(StorageError) -> StoreError? {
    let row = try ServerTables.files.table(in: group).record(ServerTables.key(file.ident))
    guard let row else { return .unknownFile(file.ident) }
    let old = try ClientFile(row)
    guard file.follows(old) else {
      return .outOfOrder("a cursor of file \(file.ident.rawValue) goes back")
    }
    try file.write(to: row)
    let last = file.isExpired ? ServerTables.versionLimit - 1 : file.reciprocalBase
    guard old.reciprocalBase < last else { return nil }
    for layout in [ServerTables.reciprocals, ServerTables.privates] {
      try trim(layout, file.ident, old.reciprocalBase...last, in: group)
    }
    return nil
  }

  /// Removes the row of a file that is expired; nothing else of it was left.
  private func forget(_ ident: FileIdentifier, in group: WriteGroup) throws(StorageError) {
    let table = try ServerTables.files.table(in: group)
    guard let row = try table.record(ServerTables.key(ident)), try ClientFile(row).isExpired
    else { return }
    try table.delete(row.key)
  }

  private func trim(
    _ layout: RecordLayout, _ ident: FileIdentifier, _ versions: ClosedRange<UInt64>,
    in group: WriteGroup
  ) throws(StorageError) {
    let table = try layout.table(in: group)
    try table.delete(table.keys(in: ServerTables.keys(ident, versions)))
  }
}
