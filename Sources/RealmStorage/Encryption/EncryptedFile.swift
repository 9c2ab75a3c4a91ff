// SPDX-License-Identifier: Apache-2.0

// An encrypted file that looks like the plain one inside it.
//
// The decrypted image lies in anonymous memory where a plain file would be mapped, so reading knows
// nothing of encryption. What is written goes to the image; `sync` encrypts the pages that changed.
//
// 1. Bytes of the image that a living version can reach never change, as in a mapped file: what
//    another process wrote is brought in word by word, and words that are the same are not touched.
// 2. A page is written to the file once between two syncs, after its entry is durable: a crash
//    leaves the page as the entry's current stamp says, or as its previous one does.
// 3. The first page, with the header, is written when all others are durable. So whatever its
//    header selects is whole.
// 4. Plain text and keys are in memory only.
// 5. Pages are dirty only while a commit of this process is under way, which holds the writer lock;
//    pages are brought in only for versions that another process committed. So the two never meet.
//
// A page of 4096 bytes must reach the disk whole or not at all; one that did not is found out by
// its code, and reported.

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A file of encrypted pages.
package final class EncryptedFile: LayeredFile {
  @safe
  struct State {
    /// Where the image is; nil before `map`.
    var base: UnsafeMutableRawPointer?
    /// How many pages of the image have memory.
    var pageCount = 0
    /// The stamps of the pages in the image; 0 for those that were never written.
    var marks: [SIMD4<UInt32>] = []
    /// The pages whose bytes in the file are not what their entries say.
    var failed = PageSet()
    /// The pages of the image that the file does not have yet.
    var dirty = PageSet()
    /// Whether the pages that the file had were brought in once.
    var isLoaded = false
    /// The newest version that the image was brought to.
    var version: UInt64 = 0
    /// Memory for one block of the file.
    let block = Block()
  }

  /// Memory for the entries and the pages of one block.
  @safe
  final class Block {
    let entries = UnsafeMutableRawPointer.allocate(
      byteCount: EncryptedLayout.blockByteCount, alignment: 16)
    var pages: UnsafeMutableRawPointer { unsafe entries + EncryptedLayout.pageByteCount }

    deinit {
      unsafe memset(entries, 0, EncryptedLayout.blockByteCount)
      unsafe entries.deallocate()
    }
  }

  package let file: any StorageFile
  let cipher: PageCipher
  let state = Locked(State())

  /// - Throws: `StorageError.encryptionUnavailable`.
  package init(
    _ file: any StorageFile, key: EncryptionKey, _ source: CipherSource = .standard
  ) throws(StorageError) {
    self.file = file
    cipher = try PageCipher(key, path: file.path, from: source)
  }

  package var asEncrypted: EncryptedFile? { self }

  // MARK: The image

  /// The length of the image.
  package func byteCount() throws(StorageError) -> Int {
    EncryptedLayout.imageByteCount(file: try file.byteCount())
  }

  package func readSome(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(StorageError) -> Int {
    state.withLock { state in
      guard let base = unsafe state.base else { return 0 }
      let end = state.pageCount * EncryptedLayout.pageByteCount
      let count = max(0, min(buffer.count, end - offset))
      unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(start: base + offset, count: count))
      return count
    }
  }

  package func writeSome(
    _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(StorageError) -> Int {
    guard let source = bytes.baseAddress, unsafe !bytes.isEmpty else { return 0 }
    try state.withLock { state throws(StorageError) in
      try provideMemory(through: offset + bytes.count, &state)
      guard let base = unsafe state.base else {
        throw .system(operation: "Writing", path: path, code: EINVAL)
      }
      unsafe (base + offset).copyMemory(from: source, byteCount: bytes.count)
      let page = EncryptedLayout.pageByteCount
      for number in offset / page...(offset + bytes.count - 1) / page {
        state.dirty.insert(number)
      }
    }
    return bytes.count
  }

  /// Encrypts and writes the pages that changed, and waits until they are durable.
  package func syncOnce() throws(StorageError) {
    do throws(StorageError) {
      try state.withLock { state throws(StorageError) in try flush(&state) }
    } catch {
      // The next session finds a mark (`FormerSession`), unless the lock file is removed.
      file.forgetCached()
      throw error
    }
  }

  package func resize(to byteCount: Int) throws(StorageError) {
    let end = EncryptedLayout.roundedUp(byteCount)
    try file.resize(to: EncryptedLayout.fileByteCount(image: end))
    state.withLock { state in
      let kept = end / EncryptedLayout.pageByteCount
      guard let base = unsafe state.base, kept < state.pageCount else { return }
      unsafe memset(base + end, 0, state.pageCount * EncryptedLayout.pageByteCount - end)
      for page in kept..<state.pageCount {
        state.marks[page] = .zero
        state.failed.remove(page)
        state.dirty.remove(page)
      }
    }
  }

  package func allocate(_ range: Range<Int>) throws(StorageError) {
    let end = EncryptedLayout.fileByteCount(image: EncryptedLayout.roundedUp(range.upperBound))
    let start = try file.byteCount()
    if start < end { try file.allocate(start..<end) }
  }

  /// Provides memory for the range. What the file has there comes with `load`.
  ///
  /// An image that is mapped at another address moves there, with all that it has.
  package func map(
    _ range: Range<Int>, at address: UnsafeMutableRawPointer, isWritable: Bool
  ) throws(StorageError) {
    try state.withLock { state throws(StorageError) in
      let base = unsafe address - range.lowerBound
      if let old = unsafe state.base, unsafe old != base {
        let byteCount = state.pageCount * EncryptedLayout.pageByteCount
        try unsafe makeWritable(0..<max(byteCount, range.upperBound), at: base)
        unsafe base.copyMemory(from: old, byteCount: byteCount)
      }
      unsafe state.base = unsafe base
      try provideMemory(through: range.upperBound, &state)
    }
  }

  /// Makes the image writable up to `byteCount`; new memory reads as zero.
  private func provideMemory(through byteCount: Int, _ state: inout State) throws(StorageError) {
    let page = EncryptedLayout.pageByteCount
    let count = (byteCount + page - 1) / page
    guard count > state.pageCount, let base = unsafe state.base else { return }
    try unsafe makeWritable(state.pageCount * page..<count * page, at: base)
    state.marks.append(contentsOf: repeatElement(.zero, count: count - state.marks.count))
    state.pageCount = count
  }

  private func makeWritable(
    _ range: Range<Int>, at base: UnsafeMutableRawPointer
  ) throws(StorageError) {
    let systemPage = SystemFiles.pageSize
    let start = range.lowerBound / systemPage * systemPage
    let end = (range.upperBound + systemPage - 1) / systemPage * systemPage
    guard unsafe mprotect(base + start, end - start, PROT_READ | PROT_WRITE) == 0 else {
      throw .system(operation: "Mapping", path: path, code: errno)
    }
  }
}
