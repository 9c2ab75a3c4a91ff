// SPDX-License-Identifier: Apache-2.0

// Rows of CSV (RFC 4180) with the places of their cells.
//
// SwiftCSV reads a file as a whole and does not know lines for the reports of bad rows, and it
// makes no difference between an empty cell and an empty text. So this is our own.

/// Reads CSV a row at a time.
final class CSVReader {
  /// A cell.
  struct Cell {
    /// Nil for an empty cell without quotes.
    var text: String?
    /// Where it begins.
    var line: Int
    var column: Int
  }

  private let bytes: InputBytes
  private let separator: UInt8

  init(_ bytes: InputBytes, separator: UInt8) {
    self.bytes = bytes
    self.separator = separator
  }

  /// The next row; nil at the end. Empty lines are passed over.
  ///
  /// - Throws: `BadRow` for a quoted cell without an end, or with more after its end; the rest of
  ///   its line is passed over.
  func next() throws -> [Cell]? {
    while let byte = try bytes.peek(), byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
      _ = try bytes.next()
    }
    guard try bytes.peek() != nil else { return nil }
    var cells: [Cell] = []
    while true {
      cells.append(try cell())
      guard let byte = try bytes.next() else { return cells }
      if byte == separator { continue }
      if byte == UInt8(ascii: "\r"), try bytes.peek() == UInt8(ascii: "\n") {
        _ = try bytes.next()
      }
      return cells
    }
  }

  private func isEnd(_ byte: UInt8) -> Bool {
    byte == separator || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }

  /// A cell; the byte after it stays.
  private func cell() throws -> Cell {
    let (line, column) = (bytes.line, bytes.column)
    var content: [UInt8] = []
    guard try bytes.peek() == UInt8(ascii: "\"") else {
      while let byte = try bytes.peek(), !isEnd(byte) {
        content.append(byte)
        _ = try bytes.next()
      }
      return Cell(text: content.isEmpty ? nil : text(content), line: line, column: column)
    }
    _ = try bytes.next()
    while let byte = try bytes.next() {
      guard byte == UInt8(ascii: "\"") else {
        content.append(byte)
        continue
      }
      if try bytes.peek() == UInt8(ascii: "\"") {
        content.append(byte)
        _ = try bytes.next()
        continue
      }
      if let next = try bytes.peek(), !isEnd(next) {
        let place = bytes.column
        _ = try bytes.nextLine()
        throw BadRow(line: line, column: place, "a quoted cell goes on after its last quote")
      }
      return Cell(text: text(content), line: line, column: column)
    }
    throw BadRow(line: line, column: column, "a quoted cell does not end")
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
