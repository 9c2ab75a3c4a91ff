// SPDX-License-Identifier: Apache-2.0

// Objects of one class as lines of JSON.

#if Tools
import RealmFormats
import RealmQuery
import RealmStorage
import RealmTables

/// Writes objects of a class as lines of JSON, each with its class and its key.
struct JSONRows {
  private let json: ObjectJSON
  /// What is before the key.
  private let head: [UInt8]
  /// The columns with what is before their values.
  private let columns: [(before: [UInt8], column: PlainColumn)]

  init(_ schema: TableSchema, _ json: ObjectJSON) {
    self.json = json
    head =
      Array(#"{"$class":"#.utf8) + JSONWriter.bytes(.string(schema.displayName))
      + Array(#","$key":"#.utf8)
    columns = schema.columns.map { column in
      // A name with "$" in front gets another one: it is no name of ours.
      let name = column.name.hasPrefix("$") ? "$" + column.name : column.name
      let before = Array(",".utf8) + JSONWriter.bytes(.string(name)) + Array(":".utf8)
      return (before, PlainColumn(column))
    }
  }

  /// Appends the line of an object.
  func append(_ key: ObjectKey, _ row: Row, to bytes: inout [UInt8]) throws(StorageError) {
    bytes += head
    NumberText.append(key.rawValue, to: &bytes)
    for (before, column) in columns {
      bytes += before
      switch try column.value(of: row) {
      case .null: bytes += "null".utf8
      case .int(let number): NumberText.append(number, to: &bytes)
      case .bool(let truth): bytes += (truth ? "true" : "false").utf8
      case .double(let number):
        if number.isFinite {
          bytes += number.description.utf8
        } else {
          JSONWriter.append(ObjectJSON.scalar(.double(number)), to: &bytes)
        }
      case .string(let text): Self.append(text, to: &bytes)
      case .other(let value):
        JSONWriter.append(try json.json(value, column.column), to: &bytes)
      }
    }
    bytes += "}\n".utf8
  }

  private static func append(_ text: ByteView, to bytes: inout [UInt8]) {
    let isPlain = text.isASCII {
      $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\")
    }
    // Bytes that are not UTF-8 are repaired.
    guard isPlain else { return JSONWriter.append(text.string, to: &bytes) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(text)
    bytes.append(UInt8(ascii: "\""))
  }
}
#endif
