// SPDX-License-Identifier: Apache-2.0

// The element of a column of mixed values; the order of such values is in `MixedValue+Order`.

/// One value of any type that a database can hold.
///
/// Strings and binaries are views (`ByteView`), collections are the refs of their trees.
@usableFromInline
package enum MixedValue: Sendable {
  case null
  case int(Int64)
  case bool(Bool)
  case string(ByteView)
  case binary(ByteView)
  case timestamp(Timestamp)
  case float(Float)
  case double(Double)
  case decimal(DecimalBits)
  case objectId(Bytes12)
  case uuid(Bytes16)
  /// A table key and the key of an object in that table, both as they are.
  case typedLink(table: Int64, key: Int64)
  /// A B+ tree of mixed values; null if empty.
  case list(Ref)
  /// A dictionary node; null if empty.
  case dictionary(Ref)
}
