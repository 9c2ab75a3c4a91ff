// SPDX-License-Identifier: Apache-2.0

// The types of payloads, columns and keys, with their numbers on the wire.

/// A type of a payload, of a column or of a primary key.
package enum PayloadType: Int8, CaseIterable, Hashable, Sendable {
  /// As the type of a column: mixed.
  case null = 0
  case int = 1
  case bool = 2
  case string = 3
  case binary = 4
  case timestamp = 5
  case float = 6
  case double = 7
  case decimal = 8
  case link = 9
  case objectID = 10
  case uuid = 11
  case globalKey = -1
  case objectValue = -2
  case dictionary = -3
  case erased = -4
  case list = -5
  case set = -6

  /// Whether a column can have the type.
  package var isColumnType: Bool { rawValue >= 0 }

  /// Whether the column of a primary key can have the type.
  package var isKeyType: Bool {
    switch self {
    case .int, .string, .objectID, .uuid, .globalKey: true
    default: false
    }
  }
}
