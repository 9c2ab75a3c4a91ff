// SPDX-License-Identifier: Apache-2.0

// Between `TableValue` and the leaf that holds values of a column or elements of a collection.

import RealmStorage

/// How values of one kind get into and out of their leaf.
protocol ElementCodec {
  associatedtype L: Leaf
  /// The value that an element stands for.
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
}

extension StorageError {
  /// A value was offered to a column of another type; layers above check before.
  @inline(never)
  static func typeMismatch(_ value: TableValue) -> StorageError {
    .limitExceeded("The value \(value) is not of the property's type")
  }
}

enum IntegerCodec: ElementCodec {
  typealias L = IntegerLeaf

  static func decode(_ element: Int64, in space: NodeSpace) -> TableValue { .int(element) }

  static func encode<R>(
    _ value: TableValue, _ body: (Int64) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    guard case .int(let number) = value else { throw .typeMismatch(value) }
    return try body(number)
  }
}

enum NullableIntegerCodec: ElementCodec {
  typealias L = NullableIntegerLeaf

  static func decode(_ element: Int64?, in space: NodeSpace) -> TableValue {
    element.map { .int($0) } ?? .null
  }

  static func encode<R>(
    _ value: TableValue, _ body: (Int64?) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    switch value {
    case .int(let number): try body(number)
    case .null: try body(nil)
    default: throw .typeMismatch(value)
    }
  }
}

enum BoolCodec: ElementCodec {
  typealias L = BoolLeaf

  static func decode(_ element: Bool?, in space: NodeSpace) -> TableValue {
    element.map { .bool($0) } ?? .null
  }

  static func encode<R>(
    _ value: TableValue, _ body: (Bool?) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    switch value {
    case .bool(let truth): try body(truth)
    case .null: try body(nil)
    default: throw .typeMismatch(value)
    }
  }
}

enum FloatCodec: ElementCodec {
  typealias L = FloatLeaf

  static func decode(_ element: Float?, in space: NodeSpace) -> TableValue {
    element.map { .float($0) } ?? .null
  }

  static func encode<R>(
    _ value: TableValue, _ body: (Float?) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    switch value {
    case .float(let number): try body(number)
    case .null: try body(nil)
    default: throw .typeMismatch(value)
    }
  }
}

enum DoubleCodec: ElementCodec {
  typealias L = DoubleLeaf

  static func decode(_ element: Double?, in space: NodeSpace) -> TableValue {
    element.map { .double($0) } ?? .null
  }

  static func encode<R>(
    _ value: TableValue, _ body: (Double?) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    switch value {
    case .double(let number): try body(number)
    case .null: try body(nil)
    default: throw .typeMismatch(value)
    }
  }
}

enum StringCodec: ElementCodec {
  typealias L = StringLeaf

  static func decode(_ element: ByteView?, in space: NodeSpace) -> TableValue {
    element.map { .string($0.string) } ?? .null
  }

  static func encode<R>(
    _ value: TableValue, _ body: (ByteView?) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    switch value {
    case .string(let text): try text.withByteView(body)
    case .null: try body(nil)
    default: throw .typeMismatch(value)
    }
  }
}

enum BinaryCodec: ElementCodec {
  typealias L = BinaryLeaf

  static func decode(_ element: ByteView?, in space: NodeSpace) -> TableValue {
    element.map { .binary($0.array) } ?? .null
  }

  static func encode<R>(
    _ value: TableValue, _ body: (ByteView?) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    switch value {
    case .binary(let bytes): try bytes.withByteView(body)
    case .null: try body(nil)
    default: throw .typeMismatch(value)
    }
  }
}

enum TimestampCodec: ElementCodec {
  typealias L = TimestampLeaf

  static func decode(_ element: Timestamp?, in space: NodeSpace) -> TableValue {
    element.map { .timestamp($0) } ?? .null
  }

  static func encode<R>(
    _ value: TableValue, _ body: (Timestamp?) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    switch value {
    case .timestamp(let time): try body(time)
    case .null: try body(nil)
    default: throw .typeMismatch(value)
    }
  }
}

enum DecimalCodec: ElementCodec {
  typealias L = DecimalLeaf

  static func decode(_ element: DecimalBits?, in space: NodeSpace) -> TableValue {
    element.map { .decimal($0) } ?? .null
  }

  static func encode<R>(
    _ value: TableValue, _ body: (DecimalBits?) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    switch value {
    case .decimal(let bits): try body(bits)
    case .null: try body(nil)
    default: throw .typeMismatch(value)
    }
  }
}

enum ObjectIdCodec: ElementCodec {
  typealias L = ObjectIdLeaf

  static func decode(_ element: Bytes12?, in space: NodeSpace) -> TableValue {
    element.map { .objectId($0) } ?? .null
  }

  static func encode<R>(
    _ value: TableValue, _ body: (Bytes12?) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    switch value {
    case .objectId(let bytes): try body(bytes)
    case .null: try body(nil)
    default: throw .typeMismatch(value)
    }
  }
}

enum UUIDCodec: ElementCodec {
  typealias L = UUIDLeaf

  static func decode(_ element: Bytes16?, in space: NodeSpace) -> TableValue {
    element.map { .uuid($0) } ?? .null
  }

  static func encode<R>(
    _ value: TableValue, _ body: (Bytes16?) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    switch value {
    case .uuid(let bytes): try body(bytes)
    case .null: try body(nil)
    default: throw .typeMismatch(value)
    }
  }
}

/// Links of a single link column; tombstones read as null.
enum LinkCodec: ElementCodec {
  typealias L = LinkLeaf

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
