// SPDX-License-Identifier: Apache-2.0

// The names of types and the texts of values in the messages between Studio and its page.

#if Tools
import Foundation
import RealmQuery
import RealmStorage
import RealmTables

/// How the page spells types and values.
enum ValueNames {
  /// The name of a type.
  static func name(of type: ColumnType) -> String {
    switch type {
    case .int: "int"
    case .bool: "bool"
    case .string: "string"
    case .binary: "data"
    case .mixed: "mixed"
    case .timestamp: "date"
    case .float: "float"
    case .double: "double"
    case .decimal: "decimal"
    case .link, .typedLink: "link"
    case .backlink: "backlink"
    case .objectId: "objectId"
    case .uuid: "uuid"
    }
  }

  /// The name of a value's type.
  static func name(of value: TableValue) -> String {
    switch value {
    case .null: "null"
    case .list: "list"
    case .dictionary: "dictionary"
    default: value.type.map { name(of: $0) } ?? "null"
    }
  }

  /// The name of a collection; nil for a single value.
  static func name(of kind: CollectionKind) -> String? {
    switch kind {
    case .none: nil
    case .list: "list"
    case .set: "set"
    case .dictionary: "dictionary"
    }
  }

  /// The text of a scalar: digits of numbers, seconds and nanoseconds of dates, digits of ids.
  static func text(of value: TableValue) -> String {
    switch value {
    case .string(let text): text
    case .timestamp(let time): "\(time.seconds):\(time.nanoseconds)"
    case .objectId, .uuid: String(value.literal.drop { $0 != "(" }.dropFirst().dropLast())
    default: value.literal
    }
  }
}
#endif
