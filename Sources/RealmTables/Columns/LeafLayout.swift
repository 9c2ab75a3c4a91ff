// SPDX-License-Identifier: Apache-2.0

// What the cluster editor knows of a column, and its dispatch to the leaf that holds the column.

import RealmStorage

/// The layout of one column's leaves: which codec, and what a new object's value is.
struct LeafLayout: Hashable, Sendable {
  let kind: LeafKind
  /// Whether a new object's value is null.
  let isNullable: Bool

  init(kind: LeafKind, isNullable: Bool) {
    self.kind = kind
    self.isNullable = isNullable
  }

  init(_ column: Column) {
    kind = column.leafKind
    isNullable = column.isNullable
  }
}

/// What new objects hold in columns that are not nullable.
extension LeafLayout {
  static let zeroTimestamp = Timestamp(seconds: 0, nanoseconds: 0)
  static let zeroDecimal = DecimalBits(integer: 0)
  static let zeroObjectId = Bytes12(high: 0, low: 0)
  static let zeroUUID = Bytes16(high: 0, low: 0)
}

/// Operations that a cluster performs on all of its column leaves alike.
extension LeafLayout {
  /// A new leaf of `count` default values.
  func make(count: Int, in allocator: NodeAllocator) throws(StorageError) -> Ref {
    var ref: Ref
    switch kind {
    case .int, .enumeratedString: ref = try IntegerLeaf.make(in: allocator)
    case .nullableInt: ref = try NullableIntegerLeaf.make(in: allocator)
    case .bool: ref = try BoolLeaf.make(in: allocator)
    case .float: ref = try FloatLeaf.make(in: allocator)
    case .double: ref = try DoubleLeaf.make(in: allocator)
    case .string: ref = try StringLeaf.make(in: allocator)
    case .binary: ref = try BinaryLeaf.make(in: allocator)
    case .timestamp: ref = try TimestampLeaf.make(in: allocator)
    case .decimal: ref = try DecimalLeaf.make(in: allocator)
    case .objectId: ref = try ObjectIdLeaf.make(in: allocator)
    case .uuid: ref = try UUIDLeaf.make(in: allocator)
    case .link: ref = try LinkLeaf.make(in: allocator)
    case .typedLink: ref = try TypedLinkLeaf.make(in: allocator)
    case .mixed: ref = try MixedLeaf.make(in: allocator)
    case .backlink: ref = try BacklinkLeaf.make(in: allocator)
    case .collection: ref = try RefLeaf.make(in: allocator)
    }
    for index in 0..<count { ref = try insertDefault(at: index, in: ref, allocator) }
    return ref
  }

  /// Inserts the value of a new object.
  @inline(__always)
  func insertDefault(
    at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    switch kind {
    case .int, .enumeratedString: try IntegerLeaf.insert(0, at: index, in: ref, allocator)
    case .nullableInt: try NullableIntegerLeaf.insert(nil, at: index, in: ref, allocator)
    case .bool: try BoolLeaf.insert(isNullable ? nil : false, at: index, in: ref, allocator)
    case .float: try FloatLeaf.insert(isNullable ? nil : 0, at: index, in: ref, allocator)
    case .double: try DoubleLeaf.insert(isNullable ? nil : 0, at: index, in: ref, allocator)
    case .string: try StringLeaf.insert(isNullable ? nil : .empty, at: index, in: ref, allocator)
    case .binary: try BinaryLeaf.insert(isNullable ? nil : .empty, at: index, in: ref, allocator)
    case .timestamp:
      try TimestampLeaf.insert(isNullable ? nil : Self.zeroTimestamp, at: index, in: ref, allocator)
    case .decimal:
      try DecimalLeaf.insert(isNullable ? nil : Self.zeroDecimal, at: index, in: ref, allocator)
    case .objectId:
      try ObjectIdLeaf.insert(isNullable ? nil : Self.zeroObjectId, at: index, in: ref, allocator)
    case .uuid: try UUIDLeaf.insert(isNullable ? nil : Self.zeroUUID, at: index, in: ref, allocator)
    case .link: try LinkLeaf.insert(nil, at: index, in: ref, allocator)
    case .typedLink: try TypedLinkLeaf.insert(nil, at: index, in: ref, allocator)
    case .mixed: try MixedLeaf.insert(.null, at: index, in: ref, allocator)
    case .backlink: try BacklinkLeaf.insert(.null, at: index, in: ref, allocator)
    case .collection: try RefLeaf.insert(.null, at: index, in: ref, allocator)
    }
  }

  /// Removes an element with everything it owns.
  func remove(
    at index: Int, from ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    switch kind {
    case .int, .enumeratedString: try IntegerLeaf.remove(at: index, from: ref, allocator)
    case .nullableInt: try NullableIntegerLeaf.remove(at: index, from: ref, allocator)
    case .bool: try BoolLeaf.remove(at: index, from: ref, allocator)
    case .float: try FloatLeaf.remove(at: index, from: ref, allocator)
    case .double: try DoubleLeaf.remove(at: index, from: ref, allocator)
    case .string: try StringLeaf.remove(at: index, from: ref, allocator)
    case .binary: try BinaryLeaf.remove(at: index, from: ref, allocator)
    case .timestamp: try TimestampLeaf.remove(at: index, from: ref, allocator)
    case .decimal: try DecimalLeaf.remove(at: index, from: ref, allocator)
    case .objectId: try ObjectIdLeaf.remove(at: index, from: ref, allocator)
    case .uuid: try UUIDLeaf.remove(at: index, from: ref, allocator)
    case .link: try LinkLeaf.remove(at: index, from: ref, allocator)
    case .typedLink: try TypedLinkLeaf.remove(at: index, from: ref, allocator)
    case .mixed: try MixedLeaf.remove(at: index, from: ref, allocator)
    case .backlink: try BacklinkLeaf.remove(at: index, from: ref, allocator)
    case .collection: try RefLeaf.remove(at: index, from: ref, allocator)
    }
  }

  /// Moves the elements from `index` on to a new leaf.
  func split(
    _ ref: Ref, at index: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> (Ref, Ref) {
    switch kind {
    case .int, .enumeratedString: try IntegerLeaf.split(ref, at: index, allocator)
    case .nullableInt: try NullableIntegerLeaf.split(ref, at: index, allocator)
    case .bool: try BoolLeaf.split(ref, at: index, allocator)
    case .float: try FloatLeaf.split(ref, at: index, allocator)
    case .double: try DoubleLeaf.split(ref, at: index, allocator)
    case .string: try StringLeaf.split(ref, at: index, allocator)
    case .binary: try BinaryLeaf.split(ref, at: index, allocator)
    case .timestamp: try TimestampLeaf.split(ref, at: index, allocator)
    case .decimal: try DecimalLeaf.split(ref, at: index, allocator)
    case .objectId: try ObjectIdLeaf.split(ref, at: index, allocator)
    case .uuid: try UUIDLeaf.split(ref, at: index, allocator)
    case .link: try LinkLeaf.split(ref, at: index, allocator)
    case .typedLink: try TypedLinkLeaf.split(ref, at: index, allocator)
    case .mixed: try MixedLeaf.split(ref, at: index, allocator)
    case .backlink: try BacklinkLeaf.split(ref, at: index, allocator)
    case .collection: try RefLeaf.split(ref, at: index, allocator)
    }
  }

  /// Appends the elements of `other`, which is freed.
  func append(
    _ other: Ref, to ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    switch kind {
    case .int, .enumeratedString: try IntegerLeaf.append(other, to: ref, allocator)
    case .nullableInt: try NullableIntegerLeaf.append(other, to: ref, allocator)
    case .bool: try BoolLeaf.append(other, to: ref, allocator)
    case .float: try FloatLeaf.append(other, to: ref, allocator)
    case .double: try DoubleLeaf.append(other, to: ref, allocator)
    case .string: try StringLeaf.append(other, to: ref, allocator)
    case .binary: try BinaryLeaf.append(other, to: ref, allocator)
    case .timestamp: try TimestampLeaf.append(other, to: ref, allocator)
    case .decimal: try DecimalLeaf.append(other, to: ref, allocator)
    case .objectId: try ObjectIdLeaf.append(other, to: ref, allocator)
    case .uuid: try UUIDLeaf.append(other, to: ref, allocator)
    case .link: try LinkLeaf.append(other, to: ref, allocator)
    case .typedLink: try TypedLinkLeaf.append(other, to: ref, allocator)
    case .mixed: try MixedLeaf.append(other, to: ref, allocator)
    case .backlink: try BacklinkLeaf.append(other, to: ref, allocator)
    case .collection: try RefLeaf.append(other, to: ref, allocator)
    }
  }
}
