// SPDX-License-Identifier: Apache-2.0

// Rows of CSV (RFC 4180) with the places of their cells.
//
// SwiftCSV reads a file as a whole and does not know lines for the reports of bad rows, and it
// makes no difference between an empty cell and an empty text. So this is our own.

#if Tools
import RealmFormats
import RealmText

/// Reads CSV a row at a time.
final class CSVReader {
  private let input: InputBytes
  private let separator: UInt8
  /// No byte above it ends a cell without quotes.
  private let lastEnd: UInt8
  /// The first byte of the row that is not UTF-8.
  private var invalid: BadRow?

  init(_ input: InputBytes, separator: UInt8) {
    self.input = input
    self.separator = separator
    lastEnd = max(separator, UInt8(ascii: "\r"))
  }

  /// Reads the next row into the cells of a record, each with its position in the row as the number
  /// of its field; false at the end. Empty lines are passed over. An empty cell without quotes is
  /// null, another one a text.
  ///
  /// - Throws: `BadRow` for a quoted cell without an end, or with more after its end, where the
  ///   rest of the line is passed over; for a row with bytes that are not UTF-8.
  func next(into record: ImportRecord) throws -> Bool {
    guard try passEmptyLines() else { return false }
    record.line = input.line
    while try !scan(into: record) { try input.readMore() }
    record.bytes = input.bytes
    if let invalid { throw invalid }
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
    invalid = nil
    record.cells.removeAll(keepingCapacity: true)
    while true {
      guard position < bytes.count || input.isComplete else { return false }
      let column = lines.count > 0 ? position - lines.start + 1 : input.column(position)
      let line = input.line + lines.count
      let isQuoted = position < bytes.count && bytes[position] == UInt8(ascii: "\"")
      let found =
        try isQuoted
        ? quotedCell(bytes, &position, &lines, line, column)
        : plainCell(bytes, &position, line, column)
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
  private func plainCell(
    _ bytes: [UInt8], _ position: inout Int, _ line: Int, _ column: Int
  ) -> ImportRecord.Cell.Value? {
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
    if combined >= 0x80 { checkText(bytes, start..<index, line, column) }
    return index == start ? .json(.null) : .text(start..<index)
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
    if combined >= 0x80 { checkText(bytes, start..<index, line, column + 1) }
    if hasQuotes {
      let text = String(decoding: bytes[start..<index], as: UTF8.self)
      return .json(.string(text.replacing("\"\"", with: "\"")))
    }
    return .text(start..<index)
  }

  /// Keeps the first byte of a row that is not UTF-8.
  ///
  /// - Parameters:
  ///   - line: The line in which the range begins.
  ///   - column: The column of its first byte.
  private func checkText(_ bytes: [UInt8], _ range: Range<Int>, _ line: Int, _ column: Int) {
    guard invalid == nil, let index = InvalidText.index(in: bytes, range) else { return }
    let before = bytes[range.lowerBound..<index]
    let lines = before.count { $0 == UInt8(ascii: "\n") }
    let last = before.lastIndex(of: UInt8(ascii: "\n"))
    invalid = BadRow(
      line: line + lines, column: last.map { index - $0 } ?? column + before.count,
      InvalidText.reason(bytes[index]))
  }
}
#endif
