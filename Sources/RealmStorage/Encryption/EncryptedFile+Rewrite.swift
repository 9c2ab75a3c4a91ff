// SPDX-License-Identifier: Apache-2.0

// Making the disk have what the system's memory has, after a sync that failed.
//
// The system takes pages for written after an error, too. A page of the file may then be newer in
// its memory than on the disk. A commit based on the newer one would write an entry with neither
// code of the page on the disk, and the next crash would lose the page. So entries and pages are
// written again, in the order of a commit: the entries in the system's memory name the page on the
// disk, as current or previous, because no page is written before its entry is durable
// (`EncryptedFile` 2).

extension EncryptedFile {
  /// Writes all entries and pages again as they are, and waits until they are durable.
  ///
  /// The caller is alone with the file. If this fails it can be done again; nothing is lost.
  func rewrite() throws(StorageError) {
    try state.withLock { state throws(StorageError) in
      let end = try file.byteCount()
      let page = EncryptedLayout.pageByteCount
      let block = EncryptedLayout.blockByteCount
      for start in stride(from: 0, to: end, by: block) {
        try rewrite(start..<min(start + page, end), using: state.block)
      }
      try file.sync()
      let header = EncryptedLayout.position(ofPage: 0)..<EncryptedLayout.position(ofPage: 1)
      for start in stride(from: 0, to: end, by: block) {
        let pages = max(start + page, header.upperBound)..<min(start + block, end)
        if !pages.isEmpty { try rewrite(pages, using: state.block) }
      }
      try file.sync()
      // The selected version is whole before the header is (`EncryptedFile` 3).
      guard header.lowerBound < end else { return }
      try rewrite(header.lowerBound..<min(header.upperBound, end), using: state.block)
      try file.sync()
    }
  }

  private func rewrite(_ range: Range<Int>, using block: Block) throws(StorageError) {
    let buffer = unsafe UnsafeMutableRawBufferPointer(start: block.entries, count: range.count)
    let count = try unsafe file.read(into: buffer, at: range.lowerBound)
    try unsafe file.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: range.lowerBound)
  }
}
