// SPDX-License-Identifier: Apache-2.0

// A reader of CSV that is as simple as possible: a byte at a time, everything in memory.

#if Tools
/// The rows of CSV, to compare the tools' reader with.
struct PlainCSV {
  /// A cell with its place.
  struct Cell: Equatable {
    /// Nil for an empty cell without quotes.
    let text: String?
    let line: Int
    let column: Int
  }

  /// A row, or the place of a defect; the rest of the defect's line is passed over.
  enum Row: Equatable {
    case cells([Cell])
    case bad(line: Int, column: Int)
  }

  private struct Defect: Error {
    let line: Int
    let column: Int
  }

  private let bytes: [UInt8]
  private let separator: UInt8
  private var position = 0
  private var line = 1
  private var column = 1

  private init(_ bytes: [UInt8], separator: UInt8) {
    self.bytes = bytes
    self.separator = separator
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  static func rows(_ bytes: [UInt8], separator: UInt8 = UInt8(ascii: ",")) -> [Row] {
    var reader = PlainCSV(bytes, separator: separator)
    var rows: [Row] = []
    while let row = reader.row() { rows.append(row) }
    return rows
  }

  /// The place of the row's first byte that is not UTF-8.
  private var invalid: Defect?

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func read() -> UInt8? {
    guard let byte = next else { return nil }
    position += 1
    column += 1
    if byte == UInt8(ascii: "\n") { (line, column) = (line + 1, 1) }
    return byte
  }

  private func isEnd(_ byte: UInt8) -> Bool {
    byte == separator || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }

  private mutating func row() -> Row? {
    while next == UInt8(ascii: "\n") || next == UInt8(ascii: "\r") { _ = read() }
    guard next != nil else { return nil }
    var cells: [Cell] = []
    invalid = nil
    while true {
      do { cells.append(try cell()) } catch {
        return .bad(line: error.line, column: error.column)
      }
      guard let byte = read() else { break }
      if byte == separator { continue }
      if byte == UInt8(ascii: "\r"), next == UInt8(ascii: "\n") { _ = read() }
      break
    }
    return invalid.map { .bad(line: $0.line, column: $0.column) } ?? .cells(cells)
  }

  /// Looks for the first character that the repair of a text puts in.
  private mutating func check(_ content: [UInt8], _ places: [Defect]) {
    guard invalid == nil else { return }
    var offset = 0
    for scalar in String(decoding: content, as: UTF8.self).unicodeScalars {
      if scalar == "\u{FFFD}" {
        invalid = places[offset]
        return
      }
      offset += UTF8.width(scalar)
    }
  }

  private mutating func cell() throws(Defect) -> Cell {
    let (line, column) = (line, column)
    var content: [UInt8] = []
    var places: [Defect] = []
    guard next == UInt8(ascii: "\"") else {
      while let byte = next, !isEnd(byte) {
        content.append(byte)
        places.append(Defect(line: self.line, column: self.column))
        _ = read()
      }
      check(content, places)
      let text = String(decoding: content, as: UTF8.self)
      return Cell(text: content.isEmpty ? nil : text, line: line, column: column)
    }
    _ = read()
    while true {
      let place = Defect(line: self.line, column: self.column)
      guard let byte = read() else { break }
      guard byte == UInt8(ascii: "\"") else {
        content.append(byte)
        places.append(place)
        continue
      }
      if next == UInt8(ascii: "\"") {
        content.append(byte)
        places.append(place)
        _ = read()
        continue
      }
      if let after = next, !isEnd(after) {
        let defect = Defect(line: line, column: self.column)
        while let byte = read(), byte != UInt8(ascii: "\n") {}
        throw defect
      }
      check(content, places)
      return Cell(text: String(decoding: content, as: UTF8.self), line: line, column: column)
    }
    throw Defect(line: line, column: column)
  }
}
#endif
