// SPDX-License-Identifier: Apache-2.0

// Bringing pages of the file into the image.
//
// Another process may be writing meanwhile. Its entries come before its pages, so a page is found
// as its current or its previous stamp says, but for the moment in which it is being written; then
// it counts as failed, stays in the image as it was, and is looked at again.

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension EncryptedFile {
  /// How often a version is looked at again whose pages somebody may be writing, and how long to
  /// wait before.
  private static let attemptCount = 200
  private static let pauseMicroseconds: UInt32 = 1000

  /// Brings in all pages that changed in the file since they were read.
  func load() throws(StorageError) {
    try state.withLock { state throws(StorageError) in try load(&state) }
  }

  /// Brings the image to a version that is committed, if it is not there yet.
  ///
  /// - Parameter check: Told the pages that could not be verified, ascending; throws if the version
  ///   uses one of them. Must not touch this file.
  func advance(
    to version: UInt64, _ check: ([Int]) throws(StorageError) -> Void
  ) throws(StorageError) {
    try state.withLock { state throws(StorageError) in
      guard state.version < version else { return }
      for attempt in 0... {
        try load(&state)
        do throws(StorageError) {
          let unverified = Self.unverified(state)
          if !unverified.isEmpty { try check(unverified) }
          break
        } catch {
          // Nobody is writing what was never written.
          guard !state.failed.isEmpty, attempt < Self.attemptCount else { throw error }
          usleep(Self.pauseMicroseconds)
        }
      }
      state.version = version
    }
  }

  /// Whether the image has a version.
  func has(_ version: UInt64) -> Bool { state.withLock { $0.version >= version } }

  /// Notes that the image has a version because this process wrote it.
  func noteOwn(_ version: UInt64) {
    state.withLock { $0.version = max($0.version, version) }
  }

  /// The pages of the image that are not authentic, or that were never written; ascending.
  static func unverified(_ state: State) -> [Int] {
    (0..<state.pageCount).filter { state.marks[$0] == .zero || state.failed.contains($0) }
  }

  private func load(_ state: inout State) throws(StorageError) {
    let pageByteCount = EncryptedLayout.pageByteCount
    let count = min(state.pageCount, try byteCount() / pageByteCount)
    state.failed.removeAll()
    var first = 0
    while first < count {
      let end = min(count, first + EncryptedLayout.pagesPerBlock)
      let block = first / EncryptedLayout.pagesPerBlock
      let entries = state.block.entries
      try read(pageByteCount, at: EncryptedLayout.position(ofBlock: block), into: entries)
      var changed: UInt64 = 0
      for page in first..<end {
        let entry = PageEntry(at: entries + (page - first) * PageEntry.byteCount)
        guard entry.current.mark != state.marks[page] else { continue }
        if entry.current.counter == 0 {
          state.failed.insert(page)
        } else {
          changed |= 1 << UInt64(page - first)
        }
      }
      for run in changed.runs {
        try load(first + run.lowerBound..<first + run.upperBound, &state)
      }
      first = end
    }
  }

  /// Brings in pages of one block, whose entries are in memory.
  private func load(_ pages: Range<Int>, _ state: inout State) throws(StorageError) {
    let pageByteCount = EncryptedLayout.pageByteCount
    let bytes = state.block.pages
    try read(
      pages.count * pageByteCount, at: EncryptedLayout.position(ofPage: pages.lowerBound),
      into: bytes)
    for page in pages {
      let index = page % EncryptedLayout.pagesPerBlock
      let entry = PageEntry(at: state.block.entries + index * PageEntry.byteCount)
      let cipherText = bytes + (page - pages.lowerBound) * pageByteCount
      guard let stamp = entry.stamp(of: cipher.code(of: cipherText)) else {
        state.failed.insert(page)
        continue
      }
      guard stamp.mark != state.marks[page] else { continue }
      cipher.decrypt(cipherText, number: page, counter: stamp.counter)
      place(cipherText, at: page, &state)
      state.marks[page] = stamp.mark
    }
  }

  /// Puts a page into the image.
  private func place(
    _ plainText: UnsafeMutableRawPointer, at page: Int, _ state: inout State
  ) {
    guard let base = state.base else { return }
    let target = base + page * EncryptedLayout.pageByteCount
    guard state.marks[page] != .zero else {
      // Nobody can be reading a page that was never there.
      target.copyMemory(from: plainText, byteCount: EncryptedLayout.pageByteCount)
      return
    }
    for offset in stride(from: 0, to: EncryptedLayout.pageByteCount, by: 8) {
      let word = plainText.load(fromByteOffset: offset, as: UInt64.self)
      if target.load(fromByteOffset: offset, as: UInt64.self) != word {
        target.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
      }
    }
  }

  /// Reads bytes of the file; those behind its end are zero.
  func read(
    _ byteCount: Int, at position: Int, into target: UnsafeMutableRawPointer
  ) throws(StorageError) {
    let buffer = UnsafeMutableRawBufferPointer(start: target, count: byteCount)
    let count = try file.read(into: buffer, at: position)
    memset(target + count, 0, byteCount - count)
  }
}
