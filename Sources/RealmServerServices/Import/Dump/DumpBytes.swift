// SPDX-License-Identifier: Apache-2.0

// The content of a file of data, some of it in memory, with its positions.
//
// Invariants:
// 1. The memory is at most a block more than a reader has asked for at once.

#if Server
import RealmFormats

/// Reads a file forward, and decompresses it if it is a gzip file.
final class DumpBytes {
  /// The bytes of the file itself.
  private final class Raw {
    private let input: any ImportInput
    private var first: [UInt8]
    private(set) var failure: ImportError?
    private(set) var byteCount = 0

    init(_ input: any ImportInput) throws(ImportError) {
      self.input = input
      first = try input.next()
      while first.count < 4 {
        let more = try input.next()
        if more.isEmpty { break }
        first += more
      }
    }

    var isCompressed: Bool { first.starts(with: GzipReader.magic) }

    func next() -> [UInt8] {
      var bytes = first
      first = []
      if bytes.isEmpty, failure == nil {
        do throws(ImportError) { bytes = try input.next() } catch { failure = error }
      }
      byteCount += bytes.count
      return bytes
    }
  }

  let path: String
  private let raw: Raw
  private var gzip: GzipReader?
  private(set) var bytes: [UInt8] = []
  /// Where the next byte is in `bytes`.
  private(set) var position = 0
  private var start = 0
  private var isAtEnd = false

  init(_ path: String, in files: any ImportFiles) throws(ImportError) {
    self.path = path
    let raw = try Raw(files.open(path))
    self.raw = raw
    if raw.isCompressed { gzip = GzipReader { raw.next() } }
  }

  /// The position of the next byte in the content.
  var offset: Int { start + position }

  /// The read bytes of the file.
  var readByteCount: Int { raw.byteCount }

  /// Reads until a number of bytes is there. Returns false if the content ends before.
  func prepare(_ count: Int) throws(ImportError) -> Bool {
    if bytes.count - position >= count { return true }
    bytes.removeFirst(position)
    start += position
    position = 0
    while bytes.count < count, !isAtEnd {
      let more = try next()
      if more.isEmpty { isAtEnd = true } else { bytes += more }
    }
    return bytes.count >= count
  }

  private func next() throws(ImportError) -> [UInt8] {
    var part: [UInt8] = []
    if gzip == nil {
      part = raw.next()
    } else {
      do throws(CompressionError) {
        part = try gzip?.next() ?? []
      } catch {
        if let failure = raw.failure { throw failure }
        throw .damage(
          path, at: start + bytes.count,
          "the gzip data is wrong (\(error)), found after "
            + "\(raw.byteCount) bytes of the file")
      }
    }
    if let failure = raw.failure { throw failure }
    return part
  }

  /// Passes prepared bytes.
  func pass(_ count: Int) {
    assert(bytes.count - position >= count, "the bytes were not prepared")
    position += count
  }

  /// Takes prepared bytes.
  func take(_ count: Int) -> [UInt8] {
    defer { pass(count) }
    return Array(bytes[position..<position + count])
  }

  /// The next 32-bit number, without passing it; nil at the end of the content.
  func peekNumber() throws(ImportError) -> Int32? {
    guard try prepare(4) else {
      guard bytes.count == position else {
        throw .damage(path, at: offset, "the file ends within a length")
      }
      return nil
    }
    let value = (0..<4).reduce(0 as UInt32) { value, index in
      value | UInt32(bytes[position + index]) << UInt32(8 * index)
    }
    return Int32(bitPattern: value)
  }
}
#endif
