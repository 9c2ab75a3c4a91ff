// SPDX-License-Identifier: Apache-2.0

// Objects of one class as rows of CSV.

#if Tools
import RealmFormats
import RealmQuery
import RealmStorage
import RealmTables

/// Writes objects of a class as rows of CSV, each with its key in front.
struct CSVRows {
  private let cells: CellText
  private let separator: Character
  private let separatorByte: UInt8
  private let hasFormulas: Bool
  private let columns: [PlainColumn]
  /// Whether numbers and words are written without a look at them: with a separator that none of
  /// them has.
  private let isPlain: Bool

  init(_ schema: TableSchema, _ cells: CellText, separator: Character, hasFormulas: Bool) {
    self.cells = cells
    self.separator = separator
    self.hasFormulas = hasFormulas
    separatorByte = separator.asciiValue ?? 0
    isPlain =
      separator.isASCII && !separator.isLetter && !separator.isNumber
      && !["+", "-", "."].contains(separator)
    columns = schema.columns.map { PlainColumn($0) }
  }

  /// Appends the row of an object, with the end of the line.
  func append(_ key: ObjectKey, _ row: Row, to bytes: inout [UInt8]) throws(StorageError) {
    guard isPlain else {
      var texts: [String?] = ["\(key.rawValue)"]
      for column in columns {
        texts.append(try cells.text(try row.value(of: column.column), column.column))
      }
      bytes += CSVText.line(texts, separator: separator, hasFormulas: hasFormulas).utf8
      bytes.append(UInt8(ascii: "\n"))
      return
    }
    NumberText.append(key.rawValue, to: &bytes)
    for column in columns {
      bytes.append(separatorByte)
      switch try column.value(of: row) {
      case .null: break
      case .int(let number): NumberText.append(number, to: &bytes)
      case .bool(let truth): bytes += (truth ? "true" : "false").utf8
      case .double(let number): bytes += number.description.utf8
      case .string(let text): append(text, to: &bytes)
      case .other(let value):
        if let text = try cells.text(value, column.column) { append(text, to: &bytes) }
      }
    }
    bytes.append(UInt8(ascii: "\n"))
  }

  private func append(_ text: String, to bytes: inout [UInt8]) {
    bytes += CSVText.line([text], separator: separator, hasFormulas: hasFormulas).utf8
  }

  private func append(_ text: ByteView, to bytes: inout [UInt8]) {
    // Texts with the look of formulas begin with none of these, and no text that needs quotes has
    // them at its ends.
    guard text.count > 0, Self.isPlainStart(text[0]), text[text.count - 1] != UInt8(ascii: " "),
      text.isASCII(without: {
        $0 == separatorByte || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\n")
          || $0 == UInt8(ascii: "\r")
      })
    else { return append(text.string, to: &bytes) }
    bytes.append(text)
  }

  private static func isPlainStart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }
}
#endif
