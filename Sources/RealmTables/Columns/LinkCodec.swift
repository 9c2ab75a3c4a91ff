// SPDX-License-Identifier: Apache-2.0

// Links as values, in the three forms in which columns hold them.

import RealmStorage

/// Links of a single link column; tombstones read as null.
enum LinkCodec: ElementCodec {
  typealias L = LinkLeaf

  static func mixed(_ element: Int64?, target: TableKey) -> MixedValue {
    element.map { .typedLink(table: Int64(target.rawValue), key: $0) } ?? .null
  }

  static func decode(_ element: Int64?, in space: NodeSpace) -> TableValue {
    guard let element, element >= 0 else { return .null }
    return .link(ObjectKey(element))
  }

  static func encode<R>(
    _ value: TableValue, _ body: (Int64?) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    switch value {
    case .link(let key): try body(key.rawValue)
    case .null: try body(nil)
    default: throw .typeMismatch(value)
    }
  }
}

/// Elements of lists and sets of links.
enum LinkElementCodec: ElementCodec {
  typealias L = IntegerLeaf

  static func mixed(_ element: Int64, target: TableKey) -> MixedValue {
    element == -1 ? .null : .typedLink(table: Int64(target.rawValue), key: element)
  }

  static func decode(_ element: Int64, in space: NodeSpace) -> TableValue {
    element < 0 ? .null : .link(ObjectKey(element))
  }

  static func encode<R>(
    _ value: TableValue, _ body: (Int64) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    guard case .link(let key) = value else { throw .typeMismatch(value) }
    return try body(key.rawValue)
  }
}

/// Columns of typed links, which no SDK makes.
enum TypedLinkCodec: ElementCodec {
  typealias L = TypedLinkLeaf

  static func mixed(_ element: TypedLink?, target: TableKey) -> MixedValue {
    element.map { .typedLink(table: $0.table, key: $0.key) } ?? .null
  }

  static func decode(_ element: TypedLink?, in space: NodeSpace) -> TableValue {
    guard let element, element.key >= 0 else { return .null }
    return .typedLink(
      TableKey(UInt32(truncatingIfNeeded: element.table)), ObjectKey(element.key))
  }

  static func encode<R>(
    _ value: TableValue, _ body: (TypedLink?) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    switch value {
    case .typedLink(let table, let key):
      try body(TypedLink(table: Int64(table.rawValue), key: key.rawValue))
    case .null: try body(nil)
    default: throw .typeMismatch(value)
    }
  }
}
