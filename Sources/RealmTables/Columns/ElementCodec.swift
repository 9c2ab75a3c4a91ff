// SPDX-License-Identifier: Apache-2.0

// Between the values of a column, or the elements of a collection, and the leaf that holds them.

import RealmStorage

/// Conversions between the elements of one kind of leaf and values.
protocol ElementCodec {
  associatedtype L: Leaf

  /// An element as it is compared with values of other types; views in it are valid as long as the
  /// element. `target` is the table that the column's links lead to.
  static func mixed(_ element: L.Value, target: TableKey) -> MixedValue

  /// The value of an element.
  static func decode(_ element: L.Value, in space: NodeSpace) throws(StorageError) -> TableValue

  /// Calls `body` with the element for `value`, which is valid during the call.
  static func encode<R>(
    _ value: TableValue, _ body: (L.Value) throws(StorageError) -> R
  ) throws(StorageError) -> R

  /// The same where nested collections, which `allocator` makes room for, may be part of the value;
  /// who stores the element owns them.
  static func encode<R>(
    _ value: TableValue, in allocator: NodeAllocator,
    _ body: (L.Value) throws(StorageError) -> R
  ) throws(StorageError) -> R
}

extension ElementCodec {
  static func encode<R>(
    _ value: TableValue, in allocator: NodeAllocator,
    _ body: (L.Value) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    try encode(value, body)
  }

  /// Replaces an element of a leaf.
  static func set(
    _ value: TableValue, at index: Int, in leaf: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try encode(value) { (element) throws(StorageError) in
      try L.set(element, at: index, in: leaf, allocator)
    }
  }
}

extension StorageError {
  /// A value was offered to a column of another type; layers above check before.
  @inline(never)
  static func typeMismatch(_ value: TableValue) -> StorageError {
    .limitExceeded("The value \(value) is not of the property's type")
  }
}

// MARK: - Scalars

/// A codec whose elements are scalars or null, each of them one case of a mixed value.
protocol ScalarCodec: ElementCodec where L.Value == Scalar? {
  associatedtype Scalar

  /// The mixed value that holds a scalar.
  static func wrap(_ scalar: Scalar) -> MixedValue

  /// The scalar in a mixed value; nil for one of another type.
  static func unwrap(_ value: MixedValue) -> Scalar?
}

extension ScalarCodec {
  @inline(__always)
  static func mixed(_ element: Scalar?, target: TableKey) -> MixedValue {
    element.map { wrap($0) } ?? .null
  }

  @inline(__always)
  static func decode(_ element: Scalar?, in space: NodeSpace) -> TableValue {
    guard let element else { return .null }
    return TableValue(scalar: wrap(element)) ?? .null
  }

  @inline(__always)
  static func encode<R>(
    _ value: TableValue, _ body: (Scalar?) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    try MixedCodec.encode(value) { (mixed) throws(StorageError) -> R in
      if case .null = mixed { return try body(nil) }
      guard let scalar = unwrap(mixed) else { throw .typeMismatch(value) }
      return try body(scalar)
    }
  }
}

enum NullableIntegerCodec: ScalarCodec {
  typealias L = NullableIntegerLeaf
  static func wrap(_ scalar: Int64) -> MixedValue { .int(scalar) }
  static func unwrap(_ value: MixedValue) -> Int64? {
    if case .int(let scalar) = value { scalar } else { nil }
  }
}

enum BoolCodec: ScalarCodec {
  typealias L = BoolLeaf
  static func wrap(_ scalar: Bool) -> MixedValue { .bool(scalar) }
  static func unwrap(_ value: MixedValue) -> Bool? {
    if case .bool(let scalar) = value { scalar } else { nil }
  }
}

enum FloatCodec: ScalarCodec {
  typealias L = FloatLeaf
  static func wrap(_ scalar: Float) -> MixedValue { .float(scalar) }
  static func unwrap(_ value: MixedValue) -> Float? {
    if case .float(let scalar) = value { scalar } else { nil }
  }
}

enum DoubleCodec: ScalarCodec {
  typealias L = DoubleLeaf
  static func wrap(_ scalar: Double) -> MixedValue { .double(scalar) }
  static func unwrap(_ value: MixedValue) -> Double? {
    if case .double(let scalar) = value { scalar } else { nil }
  }
}

enum StringCodec: ScalarCodec {
  typealias L = StringLeaf
  static func wrap(_ scalar: ByteView) -> MixedValue { .string(scalar) }
  static func unwrap(_ value: MixedValue) -> ByteView? {
    if case .string(let scalar) = value { scalar } else { nil }
  }
}

enum BinaryCodec: ScalarCodec {
  typealias L = BinaryLeaf
  static func wrap(_ scalar: ByteView) -> MixedValue { .binary(scalar) }
  static func unwrap(_ value: MixedValue) -> ByteView? {
    if case .binary(let scalar) = value { scalar } else { nil }
  }
}

enum TimestampCodec: ScalarCodec {
  typealias L = TimestampLeaf
  static func wrap(_ scalar: Timestamp) -> MixedValue { .timestamp(scalar) }
  static func unwrap(_ value: MixedValue) -> Timestamp? {
    if case .timestamp(let scalar) = value { scalar } else { nil }
  }
}

enum DecimalCodec: ScalarCodec {
  typealias L = DecimalLeaf
  static func wrap(_ scalar: DecimalBits) -> MixedValue { .decimal(scalar) }
  static func unwrap(_ value: MixedValue) -> DecimalBits? {
    if case .decimal(let scalar) = value { scalar } else { nil }
  }
}

enum ObjectIdCodec: ScalarCodec {
  typealias L = ObjectIdLeaf
  static func wrap(_ scalar: Bytes12) -> MixedValue { .objectId(scalar) }
  static func unwrap(_ value: MixedValue) -> Bytes12? {
    if case .objectId(let scalar) = value { scalar } else { nil }
  }
}

enum UUIDCodec: ScalarCodec {
  typealias L = UUIDLeaf
  static func wrap(_ scalar: Bytes16) -> MixedValue { .uuid(scalar) }
  static func unwrap(_ value: MixedValue) -> Bytes16? {
    if case .uuid(let scalar) = value { scalar } else { nil }
  }
}

/// Integers that are not nullable.
enum IntegerCodec: ElementCodec {
  typealias L = IntegerLeaf

  static func mixed(_ element: Int64, target: TableKey) -> MixedValue { .int(element) }

  static func decode(_ element: Int64, in space: NodeSpace) -> TableValue { .int(element) }

  static func encode<R>(
    _ value: TableValue, _ body: (Int64) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    guard case .int(let number) = value else { throw .typeMismatch(value) }
    return try body(number)
  }
}
