// SPDX-License-Identifier: Apache-2.0

// Finding a version that is on the disk, and that the header does not select yet.
//
// 1. Only the process that starts a session looks for one: it is alone with the file.
// 2. A version is taken that the other slot of the header names, if its record and those of the
//    versions before it, down to the selected one, say that they are whole (`CommitRecord` 3).
// 3. What the records prove is in the system's memory, and not for certain on the disk: a process
//    may have died before its sync, or a sync may have failed. So all of it is written again and
//    synced before the header selects it.

/// The newest version of a file, which its header does not select.
struct CommitRecovery {
  let entry: VersionEntry
  /// What the commits wrote.
  private let records: [CommitRecord]
  private let header: FileHeader
  private let space: NodeSpace

  /// Looks for a version after the selected one.
  ///
  /// - Parameters:
  ///   - space: The whole file.
  ///   - selected: The version that the header selects.
  init?(_ header: FileHeader, in space: NodeSpace, after selected: VersionEntry) {
    let slot = 1 - header.selectedSlot
    let value = header.topRef(slot: slot)
    guard !header.isStreaming, !selected.topRef.isNull, value < UInt64(space.fileEnd),
      header.formatVersion(slot: slot) == FileHeader.supportedVersion,
      header.formatVersion(slot: header.selectedSlot) == FileHeader.supportedVersion
    else { return nil }
    var records: [CommitRecord] = []
    var topRef = Ref(Int(value))
    while topRef != selected.topRef {
      guard records.count < Self.recordCountMax, let record = CommitRecord(at: topRef, in: space),
        record.version > selected.version,
        records.last.map({ $0.version == record.version + 1 }) ?? true, record.isWhole(in: space)
      else { return nil }
      records.append(record)
      topRef = record.baseRef
    }
    guard let newest = records.first, records.last?.version == selected.version + 1,
      let top = try? TopArray(at: newest.topRef, in: space), top.version == newest.version,
      top.logicalSize <= space.fileEnd
    else { return nil }
    entry = VersionEntry(
      version: top.version, topRef: newest.topRef, logicalSize: top.logicalSize)
    self.records = records
    self.header = header
    self.space = space
  }

  private static let recordCountMax = 64

  /// Makes the version durable, and the one that the header selects.
  func select(in storage: any StorageFile) throws(StorageError) {
    for record in records {
      for piece in record.pieces { try rewrite(piece.position, piece.byteCount, in: storage) }
      let top = try space.node(at: record.topRef)
      try rewrite(
        record.topRef.offset + top.header.nodeByteCount,
        CommitRecord.byteCount(pieceCount: record.pieces.count), in: storage)
    }
    try storage.write(header)
    try storage.sync()
    try storage.write(header.flags ^ 1, at: FileHeader.flagsOffset)
    try storage.sync()
  }

  private func rewrite(
    _ position: Int, _ byteCount: Int, in storage: any StorageFile
  ) throws(StorageError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 8)
    defer { unsafe buffer.deallocate() }
    unsafe buffer.copyMemory(
      from: UnsafeRawBufferPointer(start: space.base + position, count: byteCount))
    try unsafe storage.write(UnsafeRawBufferPointer(buffer), at: position)
  }
}
