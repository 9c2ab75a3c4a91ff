// SPDX-License-Identifier: Apache-2.0

// Rows of CSV (RFC 4180) with the places of their cells.
//
// SwiftCSV reads a file as a whole and does not know lines for the reports of bad rows, and it
// makes no difference between an empty cell and an empty text. So this is our own.

import RealmFormats
import RealmText

/// Reads CSV a row at a time.
final class CSVReader {
  private let input: InputBytes
  private let separator: UInt8
  /// No byte above it ends a cell without quotes.
  private let lastEnd: UInt8

  init(_ input: InputBytes, separator: UInt8) {
    self.input = input
    self.separator = separator
    lastEnd = max(separator, UInt8(ascii: "\r"))
  }

  /// Reads the next row into the cells of a record, each with its position in the row as the number
  /// of its field; false at the end. Empty lines are passed over. An empty cell without quotes is
  /// null, another one a text.
  ///
  /// - Throws: `BadRow` for a quoted cell without an end, or with more after its end; the rest of
  ///   its line is passed over.
  func next(into record: ImportRecord) throws -> Bool {
    guard try passEmptyLines() else { return false }
    record.line = input.line
    while try !scan(into: record) { try input.readMore() }
    record.bytes = input.bytes
    return true
  }

  /// Passes empty lines; false at the end of the file.
  private func passEmptyLines() throws(ToolFailure) -> Bool {
    while true {
      let bytes = input.bytes
      var end = input.position
      while end < bytes.count, bytes[end] == UInt8(ascii: "\n") || bytes[end] == UInt8(ascii: "\r")
      {
        end += 1
      }
      if end > input.position { input.pass(to: end) }
      if end < bytes.count { return true }
      if input.isComplete { return false }
      try input.readMore()
    }
  }

  private func isEnd(_ byte: UInt8) -> Bool {
    byte == separator || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }

  /// The lines that a scan has come to.
  private struct Lines {
    var count = 0
    var start = 0
  }

  /// Reads a row and passes it; false, and nothing passed, if it goes on after what is in memory.
  private func scan(into record: ImportRecord) throws -> Bool {
    let bytes = input.bytes
    var position = input.position
    var lines = Lines()
    record.cells.removeAll(keepingCapacity: true)
    while true {
      guard position < bytes.count || input.isComplete else { return false }
      let column = lines.count > 0 ? position - lines.start + 1 : input.column(position)
      let line = input.line + lines.count
      let isQuoted = position < bytes.count && bytes[position] == UInt8(ascii: "\"")
      let found =
        try isQuoted
        ? quotedCell(bytes, &position, &lines, line, column) : plainCell(bytes, &position)
      guard let value = found else { return false }
      record.cells.append(
        .init(field: record.cells.count, value: value, line: line, column: column))
      guard position < bytes.count else { break }
      let byte = bytes[position]
      position += 1
      if byte == separator { continue }
      if byte == UInt8(ascii: "\r") {
        guard position < bytes.count || input.isComplete else { return false }
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\n") else { break }
        position += 1
      }
      lines = Lines(count: lines.count + 1, start: position)
      break
    }
    input.pass(to: position, lines: lines.count, lineStart: lines.start)
    return true
  }

  /// A cell without quotes; nil if it goes on after what is in memory.
  @inline(__always)
  private func plainCell(_ bytes: [UInt8], _ position: inout Int) -> ImportRecord.Cell.Value? {
    let start = position
    var combined: UInt8 = 0
    var index = start
    while index < bytes.count {
      let byte = bytes[index]
      if byte <= lastEnd, isEnd(byte) { break }
      combined |= byte
      index += 1
    }
    guard index < bytes.count || input.isComplete else { return nil }
    position = index
    return index == start ? .json(.null) : Self.text(bytes, start..<index, isASCII: combined < 0x80)
  }

  /// A cell in quotes; nil if it goes on after what is in memory.
  private func quotedCell(
    _ bytes: [UInt8], _ position: inout Int, _ lines: inout Lines, _ line: Int, _ column: Int
  ) throws -> ImportRecord.Cell.Value? {
    let start = position + 1
    var index = start
    var combined: UInt8 = 0
    var hasQuotes = false
    while true {
      guard index < bytes.count else {
        guard input.isComplete else { return nil }
        input.pass(to: index, lines: lines.count, lineStart: lines.start)
        throw BadRow(line: line, column: column, "a quoted cell does not end")
      }
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") {
        guard index + 1 < bytes.count || input.isComplete else { return nil }
        guard index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "\"") else { break }
        hasQuotes = true
        index += 1
      } else if byte == UInt8(ascii: "\n") {
        lines = Lines(count: lines.count + 1, start: index + 1)
      }
      combined |= byte
      index += 1
    }
    position = index + 1
    if position < bytes.count, !isEnd(bytes[position]) {
      input.pass(to: position, lines: lines.count, lineStart: lines.start)
      let place = input.column(position)
      if let rest = try input.nextLine() { input.passLine(rest) }
      throw BadRow(line: line, column: place, "a quoted cell goes on after its last quote")
    }
    if hasQuotes {
      let text = String(decoding: bytes[start..<index], as: UTF8.self)
      return .json(.string(text.replacing("\"\"", with: "\"")))
    }
    return Self.text(bytes, start..<index, isASCII: combined < 0x80)
  }

  /// A text as the bytes that it is, or repaired if they are not UTF-8.
  private static func text(
    _ bytes: [UInt8], _ range: Range<Int>, isASCII: Bool
  ) -> ImportRecord.Cell.Value {
    isASCII || UTF8Validation.isValid(bytes, range)
      ? .text(range) : .json(.string(String(decoding: bytes[range], as: UTF8.self)))
  }
}
