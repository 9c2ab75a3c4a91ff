// SPDX-License-Identifier: Apache-2.0

// Which leaf of the storage engine holds a column's values in a cluster.

/// The layout of one column's leaf in the clusters of its table (file format 4.1).
@frozen @usableFromInline
package enum LeafKind: UInt8, Hashable, Sendable {
  case int, nullableInt, bool, float, double, string, enumeratedString, binary, timestamp, decimal
  case objectId, uuid, link, typedLink, mixed, backlink
  /// One ref for each object: the root of its list, set or dictionary.
  case collection

  package init(type: ColumnType, collection: CollectionKind, isNullable: Bool, isEnumerated: Bool) {
    guard collection == .none else {
      self = .collection
      return
    }
    switch type {
    case .int: self = isNullable ? .nullableInt : .int
    case .bool: self = .bool
    case .string: self = isEnumerated ? .enumeratedString : .string
    case .binary: self = .binary
    case .mixed: self = .mixed
    case .timestamp: self = .timestamp
    case .float: self = .float
    case .double: self = .double
    case .decimal: self = .decimal
    case .link: self = .link
    case .backlink: self = .backlink
    case .objectId: self = .objectId
    case .typedLink: self = .typedLink
    case .uuid: self = .uuid
    }
  }
}
