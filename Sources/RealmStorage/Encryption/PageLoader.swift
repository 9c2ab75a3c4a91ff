// SPDX-License-Identifier: Apache-2.0

// Reading pages of an encrypted file into the image.

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Decrypts what changed in a range of pages.
///
/// Loaders of one image may work side by side on different pages.
@safe
struct PageLoader: @unchecked Sendable {
  // Sendable: the pointer is to memory of the image, which each loader touches for its own pages.

  /// The state of consecutive pages of an image.
  struct Knowledge: Sendable {
    /// The number of the first of them; the first of a block.
    let first: Int
    /// The stamps of what the image has; 0 for pages that were never written.
    var marks: [SIMD4<UInt32>]
    /// The pages whose bytes are not what their entries say.
    var failed: [Int] = []
  }

  let file: any StorageFile
  let cipher: PageCipher
  let base: UnsafeMutableRawPointer

  private static let pageByteCount = EncryptedLayout.pageByteCount

  /// Brings in the pages that changed since `known` was true.
  ///
  /// - Parameter block: Memory for one block of the file.
  func load(_ known: inout Knowledge, using block: EncryptedFile.Block) throws(StorageError) {
    known.failed.removeAll()
    let count = known.marks.count
    for start in stride(from: 0, to: count, by: EncryptedLayout.pagesPerBlock) {
      let number = (known.first + start) / EncryptedLayout.pagesPerBlock
      try unsafe file.readWhole(
        Self.pageByteCount, at: EncryptedLayout.position(ofBlock: number), into: block.entries)
      var changed: UInt64 = 0
      for index in start..<min(count, start + EncryptedLayout.pagesPerBlock) {
        let entry = unsafe PageEntry(at: block.entries + (index - start) * PageEntry.byteCount)
        guard entry.current.mark != known.marks[index] else { continue }
        if entry.current.counter == 0 {
          known.failed.append(known.first + index)
        } else {
          changed |= 1 << UInt64(index - start)
        }
      }
      for run in changed.runs {
        try loadRun(start + run.lowerBound..<start + run.upperBound, &known, using: block)
      }
    }
  }

  /// Brings in pages of one block, whose entries are in memory.
  private func loadRun(
    _ indices: Range<Int>, _ known: inout Knowledge, using block: EncryptedFile.Block
  ) throws(StorageError) {
    let first = known.first + indices.lowerBound
    try unsafe file.readWhole(
      indices.count * Self.pageByteCount, at: EncryptedLayout.position(ofPage: first),
      into: block.pages)
    for index in indices {
      let page = known.first + index
      let place = page % EncryptedLayout.pagesPerBlock
      let entry = unsafe PageEntry(at: block.entries + place * PageEntry.byteCount)
      let bytes = unsafe block.pages + (page - first) * Self.pageByteCount
      guard let stamp = unsafe entry.stamp(of: cipher.code(of: bytes)) else {
        known.failed.append(page)
        continue
      }
      guard stamp.mark != known.marks[index] else { continue }
      try unsafe cipher.decrypt(bytes, number: page, counter: stamp.counter)
      let target = unsafe base + page * Self.pageByteCount
      if known.marks[index] == .zero {
        // No reader can be reading a page that was never there.
        unsafe target.copyMemory(from: bytes, byteCount: Self.pageByteCount)
      } else {
        unsafe Self.replaceWords(of: target, with: bytes)
      }
      known.marks[index] = stamp.mark
    }
  }

  /// Changes the words of a page that differ. Those that a living version can reach do not.
  private static func replaceWords(
    of target: UnsafeMutableRawPointer, with page: UnsafeMutableRawPointer
  ) {
    for offset in stride(from: 0, to: pageByteCount, by: 8) {
      let word = unsafe page.load(fromByteOffset: offset, as: UInt64.self)
      if unsafe target.load(fromByteOffset: offset, as: UInt64.self) != word {
        unsafe target.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
      }
    }
  }

  // MARK: The first time

  /// So many pages are worth a thread of their own: 0.4 ms of work.
  private static let pagesPerThread = 128
  private static let threadCountMax = 4

  /// Brings in the first `count` pages of an image that has none yet, by several threads if they
  /// are many.
  func loadAll(_ count: Int) throws(StorageError) -> Knowledge {
    let processors = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    let threadCount = max(
      1, min(processors, Self.threadCountMax, count / Self.pagesPerThread))
    let blockSize = EncryptedLayout.pagesPerBlock
    let share = (count / threadCount + blockSize) / blockSize * blockSize
    var others: [Handover<Result<Knowledge, StorageError>>] = []
    for first in stride(from: share, to: count, by: share) {
      let handover = Handover<Result<Knowledge, StorageError>>()
      let work: @Sendable () -> Void = {
        handover.give(loaded(first..<min(count, first + share)))
      }
      if !BackgroundThread.start(named: "realm-decrypt", work) { work() }
      others.append(handover)
    }
    // All must have ended before anybody may throw: they write to the image.
    let results = [loaded(0..<min(count, share))] + others.map { $0.wait() }
    var all = Knowledge(first: 0, marks: [])
    all.marks.reserveCapacity(count)
    for result in results {
      let part = try result.get()
      all.marks += part.marks
      all.failed += part.failed
    }
    return all
  }

  private func loaded(_ pages: Range<Int>) -> Result<Knowledge, StorageError> {
    var known = Knowledge(
      first: pages.lowerBound, marks: [SIMD4<UInt32>](repeating: .zero, count: pages.count))
    do throws(StorageError) {
      try load(&known, using: EncryptedFile.Block())
      return .success(known)
    } catch {
      return .failure(error)
    }
  }
}

extension StorageFile {
  /// Reads bytes into memory; those after the end of the file are zero.
  func readWhole(
    _ byteCount: Int, at position: Int, into target: UnsafeMutableRawPointer
  ) throws(StorageError) {
    let buffer = unsafe UnsafeMutableRawBufferPointer(start: target, count: byteCount)
    let count = try unsafe read(into: buffer, at: position)
    unsafe memset(target + count, 0, byteCount - count)
  }
}
