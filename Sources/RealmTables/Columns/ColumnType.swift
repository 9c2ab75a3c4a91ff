// SPDX-License-Identifier: Apache-2.0

// The types of columns (file format 3.3.1 and 3.3.2).

/// The type of a column's values, or of the elements of its collections.
@frozen @usableFromInline
package enum ColumnType: Int, Hashable, Sendable, CaseIterable {
  case int = 0
  case bool = 1
  case string = 2
  case binary = 4
  case mixed = 6
  case timestamp = 8
  case float = 9
  case double = 10
  case decimal = 11
  case link = 12
  case backlink = 14
  case objectId = 15
  case typedLink = 16
  case uuid = 17

  /// Whether a column of this type may be a primary key.
  package var canBePrimaryKey: Bool {
    switch self {
    case .int, .string, .objectId, .uuid: true
    default: false
    }
  }

  /// Whether the general search index takes single values of this type.
  package var canBeIndexed: Bool {
    switch self {
    case .int, .bool, .string, .timestamp, .objectId, .uuid, .mixed: true
    default: false
    }
  }
}

/// Whether a column holds one value or many.
@frozen @usableFromInline
package enum CollectionKind: Int, Hashable, Sendable {
  case none, list, set, dictionary

  /// The attribute that says so.
  package var attribute: ColumnAttributes {
    switch self {
    case .none: []
    case .list: .list
    case .set: .set
    case .dictionary: .dictionary
    }
  }
}

/// The attribute bits of a spec; a column key carries the low eight.
@frozen @usableFromInline
package struct ColumnAttributes: OptionSet, Hashable, Sendable {
  @usableFromInline package let rawValue: UInt16
  @inlinable package init(rawValue: UInt16) { self.rawValue = rawValue }

  @inlinable package static var indexed: ColumnAttributes { .init(rawValue: 1) }
  @inlinable package static var nullable: ColumnAttributes { .init(rawValue: 16) }
  @inlinable package static var list: ColumnAttributes { .init(rawValue: 32) }
  @inlinable package static var dictionary: ColumnAttributes { .init(rawValue: 64) }
  @inlinable package static var set: ColumnAttributes { .init(rawValue: 128) }
  @inlinable package static var fullTextIndexed: ColumnAttributes { .init(rawValue: 256) }

  /// The attributes that are part of the column key and must agree between key and spec.
  @inlinable package static var keyed: ColumnAttributes { .init(rawValue: 16 | 32 | 64 | 128) }

  /// Whether the parts that belong to the column key are those of other attributes.
  @inlinable package func agrees(with other: ColumnAttributes) -> Bool {
    (rawValue ^ other.rawValue) & ColumnAttributes.keyed.rawValue == 0
  }

  // Schemas are decoded whenever a file is opened, and generic code over sets of options is slow in
  // debug builds. So these are numbers.

  /// Whether all of some attributes are there.
  @inlinable package func contains(_ other: ColumnAttributes) -> Bool {
    rawValue & other.rawValue == other.rawValue
  }

  /// The collection bits, nil if more than one is set.
  package var collection: CollectionKind? {
    switch rawValue & (32 | 64 | 128) {
    case 0: CollectionKind.none
    case 32: .list
    case 64: .dictionary
    case 128: .set
    default: nil
    }
  }
}
