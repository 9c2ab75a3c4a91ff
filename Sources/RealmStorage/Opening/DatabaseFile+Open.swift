// SPDX-License-Identifier: Apache-2.0

// Opening a database: what must be true of a file before its nodes are read.
//
// 1. One `DatabaseFile` exists for a file in a process, whatever paths lead to it (`FileRegistry`).
// 2. The process that starts a session checks the header, the format, the history type and the
//    size, and brings the physical size back to what the newest version needs: a crash may have
//    left more. What it finds may not be on the disk yet (`SessionStart`).
// 3. A file in streaming form keeps its size until its first commit: its footer must stay at the
//    end.

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension DatabaseFile {
  /// Opens the database at `path`, creating it if it is missing.
  ///
  /// - Throws: `StorageError.system` if the system refuses the file, `.notADatabase` for other
  ///   contents or another key, `.unsupportedFormat`, `.formatUpgradeRequired`,
  ///   `.incompatibleHistory`, `.unsupportedHistory`, `.incompatibleLockFile`, `.differentKey`,
  ///   `.encryptionUnavailable`, `.corrupted` and `.addressSpaceExhausted`.
  package static func open(
    path: String, options: OpenOptions = OpenOptions(),
    system: any FileSystem = SystemFiles()
  ) throws(StorageError) -> DatabaseFile {
    try open(path: path, options: options, system: system, registry: .shared)
  }

  /// - Parameter registry: Another one than `.shared` acts as another process.
  package static func open(
    path: String, options: OpenOptions, system: any FileSystem, registry: FileRegistry
  ) throws(StorageError) -> DatabaseFile {
    let system: any FileSystem = options.isInMemory ? MemoryFiles.shared : system
    // Links are followed before the names of other files are made from the path.
    let path = try system.resolved(path)
    let mode: FileOpenMode =
      options.isReadOnly ? .readOnly : options.mustExist ? .readWrite : .readWriteCreating
    for attempt in 0... {
      let file = try system.open(path: path, mode: mode)
      do throws(StorageError) {
        let storage = try EncryptedFile.wrapping(file, options) ?? file
        let result = try registry.file(storage.identity, isReadOnly: options.isReadOnly) {
          () throws(StorageError) in
          // No other process learns of a read-only open: its reader table is its own, unless it
          // joins those of others.
          try open(
            storage, path, options, system,
            lockSystem: options.isReadOnly && !options.joinsSession ? MemoryFiles() : system)
        }
        guard result.options.encryptionKey == options.encryptionKey else {
          throw .differentKey(path: path)
        }
        guard options.isReadOnly || result.options.history == options.history else {
          throw .incompatibleHistory(
            path: path, type: result.options.history.type,
            asSynchronised: options.history == .syncClient)
        }
        return result
      } catch {
        // The file was compacted, and another one has its name now.
        guard case .system(_, _, ESTALE) = error, attempt < 100 else { throw error }
      }
    }
    preconditionFailure("the loop above has no end")
  }

  /// - Parameters:
  ///   - lockSystem: The file system of the lock file, shared by all users of the database.
  ///   - acceptsOlderFormats: Whether the tables may be those of a format that can be upgraded.
  static func open(
    _ storage: any StorageFile, _ path: String, _ options: OpenOptions, _ system: any FileSystem,
    lockSystem: any FileSystem, acceptsOlderFormats: Bool = false
  ) throws(StorageError) -> DatabaseFile {
    var opened: OpenedStorage?
    // With a lock file of its own, the caller is alone with the file, or reads it without a lock.
    let isAlone = acceptsOlderFormats || options.isReadOnly && !options.joinsSession
    let session = try LockFileSession.join(
      path: path + ".lock", of: isAlone ? nil : storage, system: lockSystem.sideFiles(of: path)
    ) { (isInDoubt) throws(StorageError) in
      if options.joinsSession { throw .nothingToJoin(path) }
      try requireInPlace(storage, options, system)
      if !options.isReadOnly {
        removeUnfinishedCompaction(of: path, system)
        try initialiseIfEmpty(storage)
      }
      var new = try OpenedStorage(storage, path, options)
      var start = try new.start(options, acceptsOlderFormats: acceptsOlderFormats)
      if !options.isReadOnly {
        // The lock file of an upgrade is another one, without the mark.
        if isInDoubt || acceptsOlderFormats { try new.makeDurable(&start) }
        try new.normaliseSize(&start)
      }
      opened = new
      return start
    }
    // The members of the session keep the file in its place from here on.
    try requireInPlace(storage, options, system)
    let isFirst = opened != nil
    let result: OpenedStorage
    if let opened { result = opened } else { result = try OpenedStorage(storage, path, options) }
    let file = DatabaseFile(
      path: path, options: options, storage: storage,
      mapping: FileMapping(result.reservation, byteCount: result.mappedByteCount),
      session: session)
    result.reservation.giveSlabBack()
    // A process that joins has not checked yet whether a key is needed, and whether this is it, and
    // which kind of history the file has.
    if !isFirst {
      if file.encrypted == nil { _ = try result.header() } else { try file.requireKey() }
      if !options.isReadOnly {
        try options.history.requireCompatible(with: try file.snapshot().top(), path: path)
      }
    }
    return file
  }

  /// Gives a new file its header.
  ///
  /// A crash in here leaves an empty file, the header, or as many zeros; all are taken as new. The
  /// page that the format asks for is allocated after the header is durable (`normaliseSize`).
  private static func initialiseIfEmpty(_ storage: any StorageFile) throws(StorageError) {
    if let encrypted = storage.asEncrypted { return try encrypted.initialiseIfUnused() }
    let byteCount = try storage.byteCount()
    guard byteCount <= FileHeader.byteCount else { return }
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: FileHeader.byteCount, alignment: 8)
    defer { unsafe buffer.deallocate() }
    let readCount = try unsafe storage.read(into: buffer, at: 0)
    guard unsafe buffer[..<readCount].allSatisfy({ $0 == 0 }) else { return }
    unsafe buffer.copyBytes(from: FileHeader.blank.bytes)
    try unsafe storage.write(UnsafeRawBufferPointer(buffer), at: 0)
    try storage.sync()
  }
}

/// A file that is mapped and not yet part of a session.
private struct OpenedStorage {
  let storage: any StorageFile
  let path: String
  let reservation: AddressReservation
  let physicalSize: Int
  private(set) var mappedByteCount: Int

  init(_ storage: any StorageFile, _ path: String, _ options: OpenOptions) throws(StorageError) {
    self.storage = storage
    self.path = path
    physicalSize = try storage.byteCount()
    guard physicalSize >= FileHeader.byteCount else {
      let encrypted = storage.asEncrypted
      if let encrypted, try encrypted.isPlain() { throw try encrypted.refusal() }
      let byteCount = try encrypted?.file.byteCount() ?? physicalSize
      throw .notADatabase(
        path: path,
        reason: "file is non-empty but too small (\(byteCount) bytes) to be a valid Realm. "
          + "Delete it, restore it from a backup, or use another path.")
    }
    let page = SystemFiles.pageSize
    reservation = try AddressReservation(
      path: path,
      fileCapacity: FileMapping.capacity(for: physicalSize, atLeast: options.reservedByteCount),
      slabCapacity: options.slabCapacity,
      minimumFileCapacity: (physicalSize + page - 1) / page * page + page,
      gapPerSlab: FileMapping.gapPerSlab)
    try unsafe storage.map(0..<physicalSize, at: reservation.base, isWritable: false)
    // Bytes of the last page after the end are mapped, but are not there until the file grows.
    mappedByteCount = physicalSize
  }

  private func notADatabase(_ reason: String) -> StorageError {
    .notADatabase(path: path, reason: reason)
  }

  /// The header of the file; of an encrypted one, after its pages were brought in.
  func header() throws(StorageError) -> FileHeader {
    let bytes = unsafe UnsafeRawBufferPointer(start: reservation.base, count: physicalSize)
    if let header = unsafe FileHeader(bytes) { return header }
    if let encrypted = storage.asEncrypted { throw try encrypted.refusal() }
    throw notADatabase(
      unsafe ForeignContents.text(of: bytes)
        ?? "it is not a Realm file, or it is encrypted. Check the path and the encryption key.")
  }

  /// Checks the container and finds the committed version.
  func start(
    _ options: OpenOptions, acceptsOlderFormats: Bool
  ) throws(StorageError) -> SessionStart {
    let encrypted = storage.asEncrypted
    try encrypted?.load()
    let header = try self.header()
    let bytes = unsafe UnsafeRawBufferPointer(start: reservation.base, count: physicalSize)
    let topRef = try unsafe self.topRef(header, bytes)
    let format = header.formatVersion(slot: header.selectedSlot)
    if !acceptsOlderFormats || !FileHeader.upgradableVersions.contains(format) {
      try check(format: format, topRef)
    }
    let space = unsafe NodeSpace(base: UnsafeRawPointer(reservation.base), fileEnd: physicalSize)
    try encrypted?.requireAuthentic(topRef, in: space)
    let top = try TopArray(at: topRef, in: space)
    guard top.logicalSize <= physicalSize else {
      throw notADatabase(
        "the file is truncated: \(physicalSize) bytes of \(top.logicalSize) are left. "
          + "Restore it from a backup.")
    }
    try check(history: top, options)
    let entry = VersionEntry(version: top.version, topRef: topRef, logicalSize: top.logicalSize)
    return try start(header, in: space, selected: entry, options)
  }

  /// The version that the header selects, or a later one that is whole.
  private func start(
    _ header: FileHeader, in space: NodeSpace, selected entry: VersionEntry, _ options: OpenOptions
  ) throws(StorageError) -> SessionStart {
    var start = SessionStart(entry, after: header, in: space)
    if options.isInMemory { start.alternative = SessionStart.noAlternative }
    if storage.asEncrypted != nil {
      // Commits to encrypted files have no records, and entries of pages may have no page yet.
      if !entry.topRef.isNull { start.alternative = SessionStart.unknownAlternative }
    } else if !options.isInMemory, let recovery = CommitRecovery(header, in: space, after: entry) {
      start.entry = recovery.entry
      if !options.isReadOnly {
        try recovery.select(in: storage)
        start.alternative = SessionStart.noAlternative
      }
    }
    return start
  }

  private func topRef(
    _ header: FileHeader, _ bytes: UnsafeRawBufferPointer
  ) throws(StorageError) -> Ref {
    guard physicalSize & 7 == 0 else {
      throw notADatabase(
        "its size of \(physicalSize) bytes is no multiple of 8: the file is truncated. "
          + "Restore it from a backup.")
    }
    var value = header.topRef(slot: header.selectedSlot)
    if header.isStreaming {
      let footer = physicalSize - FileHeader.footerByteCount
      guard footer >= FileHeader.byteCount,
        unsafe bytes.load(fromByteOffset: footer + 8, as: UInt64.self).littleEndian
          == FileHeader.footerCookie
      else {
        throw notADatabase(
          "the footer of the copy is missing: the file is truncated. Copy it again.")
      }
      value = unsafe bytes.load(fromByteOffset: footer, as: UInt64.self).littleEndian
    }
    guard value & 7 == 0, value < UInt64(physicalSize), value == 0 || value >= 24 else {
      throw notADatabase(
        "its top ref \(value) is outside the file's \(physicalSize) bytes: the file is truncated "
          + "or damaged. Restore it from a backup.")
    }
    return Ref(Int(value))
  }

  private func check(format: Int, _ topRef: Ref) throws(StorageError) {
    switch format {
    case FileHeader.supportedVersion: return
    case 0 where topRef.isNull: return
    case _ where FileHeader.upgradableVersions.contains(format):
      throw .formatUpgradeRequired(path: path, version: format)
    default: throw .unsupportedFormat(path: path, version: format)
    }
  }

  private func check(history top: TopArray, _ options: OpenOptions) throws(StorageError) {
    if options.isReadOnly {
      if top.historyType == 3 || top.historyType == 4 { return }
      try HistoryKind.inFile.requireCompatible(with: top, path: path)
    } else {
      try options.history.requireCompatible(with: top, path: path)
    }
  }

  /// Brings the disk to the state of the system's memory, after a failed sync.
  ///
  /// Of a plain file only the header can be in doubt: its version was synced before it was written,
  /// and the next commits write their nodes themselves. A page of an encrypted file is only as good
  /// as its entry.
  func makeDurable(_ start: inout SessionStart) throws(StorageError) {
    if let encrypted = storage.asEncrypted {
      try encrypted.rewrite()
    } else {
      try storage.syncAsFound(try header())
    }
    start.alternative = SessionStart.noAlternative
  }

  /// Cuts what a crash left after the logical end, or fills the last page up.
  ///
  /// What the disk may select instead of the version may need the length that the file has.
  mutating func normaliseSize(_ start: inout SessionStart) throws(StorageError) {
    let bytes = unsafe UnsafeRawBufferPointer(start: reservation.base, count: physicalSize)
    guard let header = unsafe FileHeader(bytes), !header.isStreaming else { return }
    let page = SystemFiles.pageSize
    let size = (start.entry.logicalSize + page - 1) / page * page
    guard physicalSize != size else { return }
    if start.alternative != SessionStart.noAlternative {
      try storage.syncAsFound(header)
      start.alternative = SessionStart.noAlternative
    }
    if physicalSize > size {
      try storage.resize(to: size)
      mappedByteCount = size
    } else {
      try storage.allocate(physicalSize..<size)
    }
  }
}
