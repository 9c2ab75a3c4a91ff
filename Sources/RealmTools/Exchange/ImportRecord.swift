// SPDX-License-Identifier: Apache-2.0

// One object of an imported file, before its class is known to have such properties.
//
// 1. A reader has one record and fills it again for each row: who keeps a part of it copies that
//    part (`field(_:)`).
// 2. The bytes of a cell are UTF-8.

#if Tools
import RealmFormats

/// An object as an imported file describes it.
final class ImportRecord {
  /// A property of an object.
  struct Cell {
    /// What a cell holds.
    enum Value {
      /// A text, as the bytes where it lies.
      case text(Range<Int>)
      case json(JSONValue)
    }

    /// The number of the property in `fields`.
    var field: Int
    var value: Value
    var line: Int
    /// The position in the line, counted from 1; 0 where only the property is known.
    var column = 0
  }

  /// A property with a value of its own.
  struct Field: Sendable {
    let name: String
    let value: JSONValue
    /// Whether the value is a text for one of another type, as in CSV.
    var isText = false
    let line: Int
    var column: Int?
    /// The file, if several are imported together.
    var file: String?
    /// The row of a database.
    var tableRow: TableRow?
  }

  var fields = RecordFields("")
  /// The object's key in the exported file.
  var objectKey: Int64?
  var cells: [Cell] = []
  /// Where the texts lie.
  var bytes: [UInt8] = []
  var line = 0
  /// The row of a database that the object is.
  var tableRow: TableRow?
  /// Whether texts stand for values of other types, as in CSV.
  let isText: Bool
  /// The file, if several are imported together.
  let file: String?

  init(isText: Bool, file: String? = nil) {
    self.isText = isText
    self.file = file
  }

  var className: String { fields.className }

  /// Begins an object.
  func begin(_ fields: RecordFields, line: Int) {
    self.fields = fields
    self.line = line
    objectKey = nil
    cells.removeAll(keepingCapacity: true)
  }

  /// The text of a range of the bytes.
  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// The value of a cell, on its own.
  func json(_ cell: Cell) -> JSONValue {
    switch cell.value {
    case .text(let range): .string(text(range))
    case .json(let value): value
    }
  }

  /// The property of a cell, on its own.
  func field(_ cell: Cell) -> Field {
    Field(
      name: fields.names[cell.field], value: json(cell), isText: isText, line: cell.line,
      column: cell.column > 0 ? cell.column : nil, file: file, tableRow: tableRow)
  }
}
#endif
