// SPDX-License-Identifier: Apache-2.0

// The bytes of a text file, some of them in memory, with their places.
//
// A reader scans rows in `bytes`. Where a row goes on after them it asks for more, and scans the
// row again: so that no scan has to be continued in its middle.
//
// 1. `bytes` begin at or before the next row, and end with the file if `isComplete`.
// 2. Each time the rest of a row is asked for, what is in memory doubles at least, so that scanning
//    a long row again and again costs a constant factor.

#if Tools
import Foundation

/// Reads a file forward, a row at a time.
final class InputBytes {
  private let file: InputFile
  /// See invariant 1.
  private(set) var bytes: [UInt8] = []
  private(set) var isComplete = false
  /// Where the next row begins in `bytes`.
  private(set) var position = 0
  /// The line of the next row, counted from 1.
  private(set) var line = 1
  /// Where the line of `position` begins: negative if not in `bytes` any more.
  private var lineStart = 0
  /// The position of `bytes` in the file.
  private var start = 0
  private let isDigested: Bool
  /// Until where in `bytes` the digest goes.
  private var digestedCount = 0
  private var digestSoFar: InputDigest

  private let blockByteCount: Int

  /// - Parameters:
  ///   - digest: What was read before, in other files.
  ///   - isDigested: Whether the digest is asked for; otherwise it is that of what was read before.
  ///   - blockByteCount: How many bytes are read at a time.
  init(
    _ file: InputFile, digest: InputDigest = InputDigest(), isDigested: Bool = true,
    blockByteCount: Int = 1 << 20
  ) throws(ToolFailure) {
    self.file = file
    self.isDigested = isDigested
    self.blockByteCount = blockByteCount
    digestSoFar = digest
    while bytes.count < 3, !isComplete { try readMore() }
    // The mark of some programs in front of UTF-8.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      (position, lineStart, digestedCount) = (3, 3, 3)
    }
  }

  /// How many bytes are before the next row.
  var offset: Int { start + position }

  /// The digest of everything before the next row.
  var digest: InputDigest {
    if isDigested, digestedCount < position {
      digestSoFar.add(bytes, digestedCount..<position)
      digestedCount = position
    }
    return digestSoFar
  }

  /// The position in its line of a byte of the line in which the next row begins, counted from 1.
  func column(_ index: Int) -> Int { index - lineStart + 1 }

  /// Reads what follows `bytes`, of which those before the next row go.
  func readMore() throws(ToolFailure) {
    _ = digest
    let kept = bytes[position...]
    let more = try file.bytes(
      at: start + bytes.count, count: max(blockByteCount, kept.count))
    isComplete = more.isEmpty
    guard !isComplete else { return }
    start += position
    lineStart -= position
    digestedCount = 0
    bytes = kept.isEmpty ? more : Array(kept) + more
    position = 0
  }

  /// Passes everything before `end`.
  ///
  /// - Parameters:
  ///   - lines: How many ends of lines there are in it.
  ///   - lineStart: The position after the last of them.
  func pass(to end: Int, lines: Int, lineStart: Int) {
    position = end
    guard lines > 0 else { return }
    line += lines
    self.lineStart = lineStart
  }

  /// Passes everything before `end`, and counts its lines.
  func pass(to end: Int) {
    var (lines, lineStart) = (0, 0)
    let bytes = bytes
    for index in position..<end where bytes[index] == UInt8(ascii: "\n") {
      lines += 1
      lineStart = index + 1
    }
    pass(to: end, lines: lines, lineStart: lineStart)
  }

  /// The range of the next line without its end, which is not passed; nil at the end of the file.
  func nextLine() throws(ToolFailure) -> Range<Int>? {
    var scanned = 0
    while true {
      if let end = Self.endOfLine(in: bytes, from: position + scanned) { return position..<end }
      let end = bytes.count
      guard isComplete else {
        scanned = end - position
        try readMore()
        continue
      }
      return end > position ? position..<end : nil
    }
  }

  /// The position of the next end of a line; nil if there is none.
  private static func endOfLine(in bytes: [UInt8], from start: Int) -> Int? {
    unsafe bytes.withUnsafeBytes { all in
      // The function of the C library looks at many bytes at a time.
      let rest = unsafe UnsafeRawBufferPointer(rebasing: all[start...])
      guard let first = rest.baseAddress,
        let found = unsafe memchr(first, Int32(UInt8(ascii: "\n")), rest.count)
      else { return nil }
      return unsafe start + (UnsafeRawPointer(found) - first)
    }
  }

  /// Passes a line that `nextLine()` found, with its end.
  func passLine(_ range: Range<Int>) {
    guard range.upperBound < bytes.count else {
      return pass(to: range.upperBound, lines: 0, lineStart: 0)
    }
    pass(to: range.upperBound + 1, lines: 1, lineStart: range.upperBound + 1)
  }
}
#endif
