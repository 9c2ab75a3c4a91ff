// SPDX-License-Identifier: Apache-2.0

// The assigned, inserted or erased value of an instruction.

package import RealmFormats

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
