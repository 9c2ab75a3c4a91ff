// SPDX-License-Identifier: Apache-2.0

// The assigned, inserted or erased value of an instruction.

package import RealmText

/// A value in an instruction. Strings and binaries are ranges of their changeset's payload bytes,
/// and the strings of a link are in its string table: a payload has a meaning only together with
/// its changeset.
package enum Payload: Hashable, Sendable {
  case null
  case int(Int64)
  case bool(Bool)
  case string(ByteRange)
  case binary(ByteRange)
  /// The nanoseconds have the sign of the seconds.
  case timestamp(seconds: Int64, nanoseconds: Int32)
  case float(Float)
  case double(Double)
  case decimal(Decimal128Bits)
  case link(table: InternedString, key: PrimaryKey)
  case objectID(ObjectIDBits)
  case uuid(UUIDBits)
  /// An embedded object is created here.
  case objectValue
  /// The value becomes a dictionary.
  case dictionary
  /// The dictionary entry is removed.
  case erased
  /// The value becomes a list.
  case list
  /// The value becomes a set.
  case set

  /// The type as the wire has it.
  package var type: PayloadType {
    switch self {
    case .null: .null
    case .int: .int
    case .bool: .bool
    case .string: .string
    case .binary: .binary
    case .timestamp: .timestamp
    case .float: .float
    case .double: .double
    case .decimal: .decimal
    case .link: .link
    case .objectID: .objectID
    case .uuid: .uuid
    case .objectValue: .objectValue
    case .dictionary: .dictionary
    case .erased: .erased
    case .list: .list
    case .set: .set
    }
  }
}

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

/// A range of the payload bytes of one changeset.
///
/// Instructions refer to strings and binaries by such ranges, so an instruction is copied without
/// counting a reference.
package struct ByteRange: Hashable, Sendable {
  package var offset: Int
  package var count: Int

  /// The range as indices of the payload bytes.
  package var indices: Range<Int> { offset..<offset + count }
}

/// A string of a changeset, by its index in the changeset's string table.
///
/// Class names, field names, string primary keys and dictionary keys in paths are interned. The
/// same index names another string in another changeset.
package struct InternedString: Hashable, Sendable {
  package var index: UInt32

  package init(_ index: UInt32) { self.index = index }
}
