// SPDX-License-Identifier: Apache-2.0

// The types whose values are BSON.

#if Sync
public import Foundation

/// A type whose values BSON has: `Int`, `String`, `Document` and others of this module's list.
///
/// No type of a program conforms.
public protocol BSON: Equatable {
  /// The value.
  var anyBSON: AnyBSON { get }
}

/// A type whose values can name a partition: `String`, `Int`, `Int32`, `Int64`, `ObjectId`, `UUID`
/// and `AnyBSON`.
public protocol PartitionValue: BSON, Sendable {}

/// The value that is greater than all others.
public struct MaxKey: BSON, Hashable, Sendable {
  /// The one value.
  public init() {}

  /// The value that is greater than all others.
  public var anyBSON: AnyBSON { .maxKey }
}

/// The value that is less than all others.
public struct MinKey: BSON, Hashable, Sendable {
  /// The one value.
  public init() {}

  /// The value that is less than all others.
  public var anyBSON: AnyBSON { .minKey }
}

extension NSNull: BSON {
  /// The value as BSON has it.
  public var anyBSON: AnyBSON { .null }
}

extension Int: PartitionValue {
  /// The value as BSON has it.
  public var anyBSON: AnyBSON { .int64(Int64(self)) }
}

extension Int32: PartitionValue {
  /// The value as BSON has it.
  public var anyBSON: AnyBSON { .int32(self) }
}

extension Int64: PartitionValue {
  /// The value as BSON has it.
  public var anyBSON: AnyBSON { .int64(self) }
}

extension Bool: BSON {
  /// The value as BSON has it.
  public var anyBSON: AnyBSON { .bool(self) }
}

extension Double: BSON {
  /// The value as BSON has it.
  public var anyBSON: AnyBSON { .double(self) }
}

extension String: PartitionValue {
  /// The value as BSON has it.
  public var anyBSON: AnyBSON { .string(self) }
}

extension Data: BSON {
  /// The value as BSON has it.
  public var anyBSON: AnyBSON { .binary(self) }
}

extension Date: BSON {
  /// The value as BSON has it.
  public var anyBSON: AnyBSON { .datetime(self) }
}

extension Decimal128: BSON {
  /// The value as BSON has it.
  public var anyBSON: AnyBSON { .decimal128(self) }
}

extension ObjectId: PartitionValue {
  /// The value as BSON has it.
  public var anyBSON: AnyBSON { .objectId(self) }
}

extension UUID: PartitionValue {
  /// The value as BSON has it.
  public var anyBSON: AnyBSON { .uuid(self) }
}

extension NSRegularExpression: BSON {
  /// The value as BSON has it.
  public var anyBSON: AnyBSON { .regex(self) }
}

extension Dictionary: BSON where Key == String, Value == AnyBSON? {
  /// The document.
  public var anyBSON: AnyBSON { .document(self) }
}

extension Array: BSON where Element == AnyBSON? {
  /// The array.
  public var anyBSON: AnyBSON { .array(self) }
}

extension Optional: BSON where Wrapped: BSON {
  /// The value; `.null` for nil.
  public var anyBSON: AnyBSON { self?.anyBSON ?? .null }
}

extension AnyBSON: PartitionValue {
  /// The value as BSON has it.
  public var anyBSON: AnyBSON { self }
}
#endif
