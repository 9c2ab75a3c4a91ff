// SPDX-License-Identifier: Apache-2.0

// Checks of encrypted databases before a version of them is read.

extension DatabaseFile {
  /// Brings the image of an encrypted file to a version that is pinned.
  ///
  /// - Throws: `StorageError.corrupted` if a page that the version uses is not authentic, and
  ///   `.notADatabase` if it is the first one.
  func bringImage(to entry: VersionEntry) throws(StorageError) {
    guard let encrypted, !encrypted.has(entry.version) else { return }
    try unsafe encrypted.advance(to: entry.version) { unverified, base throws(StorageError) in
      let space = unsafe NodeSpace(base: base, fileEnd: entry.logicalSize)
      try encrypted.require(unverified, unusedAt: entry.topRef, in: space)
    }
  }

  /// Checks that an encrypted file that others have open can be decrypted.
  func requireKey() throws(StorageError) {
    do throws(StorageError) {
      _ = try snapshot()
    } catch {
      guard let encrypted else { throw error }
      try encrypted.load()
      // With another key nothing fits; that is worth saying first.
      throw encrypted.hasHeader ? error : try encrypted.refusal()
    }
  }
}

extension EncryptedFile {
  /// Whether the page with the header could be decrypted.
  fileprivate var hasHeader: Bool {
    state.withLock { $0.marks.first ?? .zero != .zero }
  }

  /// Opens `file` with the key of the options, if they have one.
  static func wrapping(
    _ file: any StorageFile, _ options: OpenOptions
  ) throws(StorageError) -> EncryptedFile? {
    guard let key = options.encryptionKey else { return nil }
    return try EncryptedFile(file, key: key, options.cipher)
  }

  /// Checks that a version uses none of some pages.
  ///
  /// - Parameter pages: Pages that are not authentic, or were never written; ascending.
  func require(_ pages: [Int], unusedAt topRef: Ref, in space: NodeSpace) throws(StorageError) {
    // The header.
    if pages.first == 0 { throw try refusal() }
    guard let page = Self.used(of: pages, topRef, space).first else { return }
    throw .corrupted(
      "page \(page) of the encrypted file does not match its authentication code")
  }

  /// Checks that the version at `topRef` uses only pages that were brought in.
  func requireAuthentic(_ topRef: Ref, in space: NodeSpace) throws(StorageError) {
    let pages = state.withLock { Self.unverified($0) }
    try require(pages, unusedAt: topRef, in: space)
  }

  /// The header in the file, if its page was written by others since it was brought into the image;
  /// nil if it was not. The caller holds the writer lock.
  func changedHeader() throws(StorageError) -> FileHeader? {
    try state.withLock { state throws(StorageError) in
      let (entries, page) = unsafe (state.block.entries, state.block.pages)
      try unsafe file.readWhole(
        PageEntry.byteCount, at: EncryptedLayout.position(ofBlock: 0), into: entries)
      let entry = unsafe PageEntry(at: entries)
      guard entry.current.mark != state.marks.first else { return nil }
      try unsafe file.readWhole(
        EncryptedLayout.pageByteCount, at: EncryptedLayout.position(ofPage: 0), into: page)
      guard let stamp = unsafe entry.stamp(of: cipher.code(of: page)) else { throw try refusal() }
      // A writer may have died between the entry and the page.
      if stamp.mark == state.marks.first { return nil }
      try unsafe cipher.decrypt(page, number: 0, counter: stamp.counter)
      guard
        let header = unsafe FileHeader(
          UnsafeRawBufferPointer(start: page, count: FileHeader.byteCount))
      else { throw try refusal() }
      return header
    }
  }

  /// Why a file is refused whose first page is not authentic.
  func refusal() throws(StorageError) -> StorageError {
    .notADatabase(
      path: path,
      reason: try isPlain()
        ? "the file is not encrypted. Open it without an encryption key."
        : "it cannot be decrypted with the given encryption key. The key is another one, or the "
          + "file is damaged, or no encrypted Realm file.")
  }

  /// The used ones of some pages: all but the free ones.
  private static func used(
    of pages: [Int], _ topRef: Ref, _ space: NodeSpace
  ) -> [Int] {
    let size = EncryptedLayout.pageByteCount
    guard !pages.isEmpty else { return [] }
    var free: [Range<Int>] = []
    let fileEnd: Int
    do throws(StorageError) {
      let top = try TopArray(at: topRef, in: space)
      fileEnd = top.logicalSize
      for block in try FreeSpace(top, in: space).blocks {
        if let last = free.last, last.upperBound == block.position {
          free[free.count - 1] = last.lowerBound..<block.end
        } else {
          free.append(block.position..<block.end)
        }
      }
    } catch {
      // The evidence is on one of the pages.
      return pages
    }
    return pages.filter { page in
      guard page * size < fileEnd else { return false }
      let used = page * size..<min((page + 1) * size, fileEnd)
      let next = free.indices.partitionPoint { free[$0].upperBound < used.upperBound }
      return next == free.count || free[next].lowerBound > used.lowerBound
    }
  }

  // MARK: The integrity check

  /// The findings about the pages of the file (file format 5.1.1, number 2), each of which is read.
  ///
  /// Pages that a commit is about to write are left out.
  func findings(_ topRef: Ref, in space: NodeSpace) throws(StorageError) -> [CheckFinding] {
    let (failed, old) = try state.withLock { state throws(StorageError) in try verify(state) }
    var findings = old.map { page in
      CheckFinding(
        check: 2, severity: .warning,
        "page \(page) of the encrypted file is what it was before its last write")
    }
    for page in Self.used(of: failed, topRef, space) {
      findings.append(
        CheckFinding(
          check: 2, "page \(page) of the encrypted file does not match its authentication code"))
    }
    return findings
  }

  /// The pages that are not authentic, and those that are as they were before their last write.
  private func verify(_ state: State) throws(StorageError) -> (failed: [Int], old: [Int]) {
    var (failed, old): ([Int], [Int]) = ([], [])
    let count = try byteCount() / EncryptedLayout.pageByteCount
    for page in 0..<count where !state.dirty.contains(page) {
      let index = page % EncryptedLayout.pagesPerBlock
      if index == 0 {
        try unsafe file.readWhole(
          EncryptedLayout.blockByteCount,
          at: EncryptedLayout.position(ofBlock: page / EncryptedLayout.pagesPerBlock),
          into: state.block.entries)
      }
      let entry = unsafe PageEntry(at: state.block.entries + index * PageEntry.byteCount)
      let bytes = unsafe state.block.pages + index * EncryptedLayout.pageByteCount
      let stamp = unsafe entry.stamp(of: cipher.code(of: bytes))
      if stamp == nil { failed.append(page) }
      if stamp == entry.previous, stamp != entry.current { old.append(page) }
    }
    return (failed, old)
  }
}
