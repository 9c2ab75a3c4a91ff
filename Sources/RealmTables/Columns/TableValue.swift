// SPDX-License-Identifier: Apache-2.0

// A value of any column, owning what it holds.

package import RealmStorage

/// A value that has left the database, or is on its way in.
///
/// The typed reads of `Row` and the typed setters of `WritableTable` avoid it in hot paths.
package enum TableValue: Hashable, Sendable {
  case null
  case int(Int64)
  case bool(Bool)
  case float(Float)
  case double(Double)
  case string(String)
  case binary([UInt8])
  case timestamp(Timestamp)
  case decimal(DecimalBits)
  case objectId(Bytes12)
  case uuid(Bytes16)
  /// An object of the column's target table.
  case link(ObjectKey)
  /// An object of any table.
  case typedLink(TableKey, ObjectKey)
  /// The elements of a list, or of a set in its order.
  case list([TableValue])
  case dictionary(TableDictionary)

  package var isNull: Bool { self == .null }

  /// The type of a column that holds such a value, and no mixed ones; nil for null and collections,
  /// which only mixed columns hold.
  package var type: ColumnType? {
    switch self {
    case .null, .list, .dictionary: nil
    case .int: .int
    case .bool: .bool
    case .float: .float
    case .double: .double
    case .string: .string
    case .binary: .binary
    case .timestamp: .timestamp
    case .decimal: .decimal
    case .objectId: .objectId
    case .uuid: .uuid
    case .link: .link
    case .typedLink: .typedLink
    }
  }
}

/// The entries of a dictionary in the order of their keys.
package struct TableDictionary: Hashable, Sendable {
  /// A key and its value.
  package struct Entry: Hashable, Sendable {
    package var key: String
    package var value: TableValue

    package init(key: String, value: TableValue) {
      self.key = key
      self.value = value
    }
  }

  package var entries: [Entry]

  package init(_ entries: [Entry]) { self.entries = entries }
}
