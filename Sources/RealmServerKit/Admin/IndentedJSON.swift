// SPDX-License-Identifier: Apache-2.0

// JSON for people, who read and edit it.

#if Server
import RealmFormats

/// Writes JSON with a member or an element a line, except for what is short.
enum IndentedJSON {
  /// The characters of a value that stays in one line.
  private static let lineLengthMax = 72

  static func text(_ value: JSONValue, indent: String = "") -> String {
    let line = JSONWriter.text(value)
    let inner = indent + "  "
    switch value {
    case .object(let members) where !members.isEmpty && line.count > lineLengthMax - indent.count:
      let lines = members.map { member in
        "\(inner)\(JSONWriter.text(.string(member.key))): \(text(member.value, indent: inner))"
      }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
    case .array(let values) where !values.isEmpty && line.count > lineLengthMax - indent.count:
      let lines = values.map { inner + text($0, indent: inner) }
      return "[\n" + lines.joined(separator: ",\n") + "\n\(indent)]"
    default: return line
    }
  }
}
#endif
