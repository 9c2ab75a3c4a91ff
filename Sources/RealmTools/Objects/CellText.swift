// SPDX-License-Identifier: Apache-2.0

// Values as the cells of tables and of CSV files.

#if Tools
import RealmFormats
package import RealmQuery
package import RealmStorage
package import RealmTables

/// Represents values of a version as cells.
package struct CellText {
  private let json: ObjectJSON

  package init(_ classes: StoredSchema) { json = ObjectJSON(classes) }

  /// The text of a value; nil for null. Collections and embedded objects are JSON.
  package func text(_ value: TableValue, _ column: Column) throws(StorageError) -> String? {
    if column.collection == .none, column.type != .mixed, let text = ValueText.file.string(value) {
      return text
    }
    return switch try json.json(value, column) {
    case .null: nil
    // A text of any type with the look of another value is quoted as JSON.
    case .string(let text):
      column.type == .mixed && (try? JSONParser.parse(text)) != nil
        ? JSONWriter.text(.string(text)) : text
    case .object(let members) where members.count == 1 && members[0].key == "$object":
      members[0].value.integer.map { "#\($0)" }
    case let value: JSONWriter.text(value)
    }
  }

  /// A text of at most `limit` columns, on one line.
  package static func shortened(_ text: String, limit: Int) -> String {
    if text.utf8.count <= limit, TextWidth.isPlain(text) { return text }
    var result = ""
    for scalar in text.prefix(limit + 1).unicodeScalars {
      switch scalar {
      case "\n": result += "⏎"
      case "\t": result += " "
      case _ where TerminalText.isUnsafe(scalar): result += "�"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return TextWidth.of(result) <= limit
      ? result : TextWidth.prefix(result, columns: limit - 1) + "…"
  }
}
#endif
