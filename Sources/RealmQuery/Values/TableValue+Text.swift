// SPDX-License-Identifier: Apache-2.0

// Stored values in messages, in what `explain()` says, and in query strings.

package import RealmTables
import RealmText

extension TableValue {
  /// The value as messages show it.
  var text: String {
    switch self {
    case .null: "nil"
    case .binary(let bytes): "\(bytes.count) bytes"
    case .link(let key), .typedLink(_, let key): "object \(key.rawValue)"
    case .list: "a list"
    case .dictionary: "a dictionary"
    default: ValueText.query.string(self) ?? ""
    }
  }

  /// The value as query strings spell it.
  package var literal: String {
    switch self {
    case .string(let text):
      "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    case .objectId: "oid(\(text))"
    case .uuid: "uuid(\(text))"
    case .binary(let bytes): "B64\"\(Base64.encode(bytes))\""
    default: text
    }
  }

  var typeName: String {
    switch self {
    case .null: "null"
    case .list: "list"
    case .dictionary: "dictionary"
    default: type?.queryName ?? ""
    }
  }
}
