// SPDX-License-Identifier: Apache-2.0

// A copy that goes on where an interrupted attempt stopped.
//
// A copy is the same bytes each time: those of the version, in the order of its tree, encrypted
// with counters that do not depend on anything else. So nothing needs to be recorded of an
// attempt, and nothing of it is trusted.
//
// 1. Bytes of the attempt stay if they were read, and are those that would be written there now.
//    From the first ones that are not, all are written.
// 2. After a sync the file ends where the last byte is that was written or stayed.

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A file that is written from its beginning to its end, of which there may be a beginning.
@safe
package final class ResumedFile: LayeredFile {
  private struct State {
    /// So many bytes stay, from the beginning of the file on.
    var kept = 0
    var isKeeping = true
    var end = 0
  }

  package let file: any StorageFile
  private let state = Locked(State())

  private static let comparedByteCount = 1 << 16

  package init(_ file: any StorageFile) { self.file = file }

  /// The bytes that were there and need not be written.
  package var keptByteCount: Int { state.withLock { $0.kept } }

  package func byteCount() throws(StorageError) -> Int { try file.byteCount() }

  package func readSome(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(StorageError) -> Int { try unsafe file.readSome(into: buffer, at: offset) }

  package func writeSome(
    _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(StorageError) -> Int {
    let isNext = state.withLock { $0.isKeeping && $0.kept == offset }
    let isThere = unsafe isNext && holds(bytes, at: offset)
    let count = isThere ? bytes.count : try unsafe file.writeSome(bytes, at: offset)
    state.withLock { state in
      state.isKeeping = isThere
      if isThere { state.kept += count }
      state.end = max(state.end, offset + count)
    }
    return count
  }

  /// Whether the file has these bytes. Bytes that cannot be read are written.
  private func holds(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: min(bytes.count, Self.comparedByteCount), alignment: 8)
    defer { unsafe buffer.deallocate() }
    var done = 0
    while done < bytes.count {
      let count = min(buffer.count, bytes.count - done)
      let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
      guard let found = try? unsafe file.read(into: part, at: offset + done), found == count,
        let start = part.baseAddress, let expected = bytes.baseAddress,
        unsafe memcmp(start, expected + done, count) == 0
      else { return false }
      done += count
    }
    return true
  }

  package func syncOnce() throws(StorageError) {
    let end = state.withLock { $0.end }
    if try file.byteCount() > end { try file.resize(to: end) }
    try file.syncOnce()
  }

  package func resize(to byteCount: Int) throws(StorageError) {
    try file.resize(to: byteCount)
  }

  package func allocate(_ range: Range<Int>) throws(StorageError) { try file.allocate(range) }

  package func map(
    _ range: Range<Int>, at address: UnsafeMutableRawPointer, isWritable: Bool
  ) throws(StorageError) {
    try unsafe file.map(range, at: address, isWritable: isWritable)
  }
}
