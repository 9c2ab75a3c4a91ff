// SPDX-License-Identifier: Apache-2.0

// The bytes of a text file, a block at a time, with their places.

import Foundation

/// Reads a file forward.
final class InputBytes {
  private let handle: FileHandle
  private var block: [UInt8] = []
  private var position = 0
  private var isAtEnd = false
  /// The line of the next byte, counted from 1.
  private(set) var line = 1
  /// The position of the next byte in its line, counted from 1.
  private(set) var column = 1
  /// How many bytes were read.
  private(set) var offset = 0

  init(path: String) throws(ToolFailure) {
    var isDirectory: ObjCBool = false
    guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory),
      !isDirectory.boolValue, let handle = FileHandle(forReadingAtPath: path)
    else { throw ToolFailure(.noInput, "There is no file '\(path)' to read. Check the path.") }
    self.handle = handle
    // The mark that some programs put in front of UTF-8.
    try fill()
    if block.starts(with: [0xEF, 0xBB, 0xBF]) {
      position = 3
      offset = 3
    }
  }

  private func fill() throws(ToolFailure) {
    do {
      block = Array(try handle.read(upToCount: 1 << 16) ?? Data())
    } catch { throw ToolFailure(.inputOutput, "Reading failed: \(error.localizedDescription)") }
    position = 0
    isAtEnd = block.isEmpty
  }

  /// The next byte, which stays; nil at the end.
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
    while let byte = try next(), byte != UInt8(ascii: "\n") { bytes.append(byte) }
    if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    return bytes
  }
}
