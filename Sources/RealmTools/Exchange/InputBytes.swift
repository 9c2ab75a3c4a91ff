// SPDX-License-Identifier: Apache-2.0

// The bytes of a text file, a block at a time, with their places.

/// Reads a file forward.
final class InputBytes {
  private let file: InputFile
  private var readCount = 0
  private var block: [UInt8] = []
  private var position = 0
  private var isAtEnd = false
  /// The line of the next byte, counted from 1.
  private(set) var line = 1
  /// The position of the next byte in its line, counted from 1.
  private(set) var column = 1
  /// How many bytes were read.
  private(set) var offset = 0

  /// The digest of the bytes read so far.
  private(set) var digest: InputDigest

  init(_ file: InputFile, digest: InputDigest = InputDigest()) throws(ToolFailure) {
    self.file = file
    self.digest = digest
    // The mark of some programs in front of UTF-8.
    try fill()
    if block.starts(with: [0xEF, 0xBB, 0xBF]) {
      position = 3
      offset = 3
    }
  }

  private func fill() throws(ToolFailure) {
    block = try file.bytes(at: readCount, count: 1 << 16)
    readCount += block.count
    position = 0
    isAtEnd = block.isEmpty
  }

  /// The next byte, without reading it; nil at the end.
  func peek() throws(ToolFailure) -> UInt8? {
    if position == block.count {
      if isAtEnd { return nil }
      try fill()
      if isAtEnd { return nil }
    }
    return block[position]
  }

  /// The next byte; nil at the end.
  func next() throws(ToolFailure) -> UInt8? {
    guard let byte = try peek() else { return nil }
    position += 1
    offset += 1
    column += 1
    digest.add(byte)
    if byte == UInt8(ascii: "\n") {
      line += 1
      column = 1
    }
    return byte
  }

  /// The bytes of the next line without its end; nil at the end.
  func nextLine() throws(ToolFailure) -> [UInt8]? {
    guard try peek() != nil else { return nil }
    var bytes: [UInt8] = []
    while try peek() != nil {
      let rest = block[position...]
      let end = rest.firstIndex(of: UInt8(ascii: "\n"))
      let part = rest[..<(end ?? rest.endIndex)]
      bytes += part
      digest.add(part)
      position = part.endIndex
      offset += part.count
      column += part.count
      guard end == nil else {
        _ = try next()
        break
      }
    }
    if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    return bytes
  }
}
