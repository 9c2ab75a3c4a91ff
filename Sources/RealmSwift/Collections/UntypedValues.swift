// SPDX-License-Identifier: Apache-2.0

// Conversions of values that come as `Any`, from dictionaries and arrays.

import Foundation

/// An optional of some type, seen through `Any`.
private protocol AnyOptional {
  var wrapped: Any? { get }
}

extension Optional: AnyOptional {
  fileprivate var wrapped: Any? { self }
}

/// `value` if it is a model object. Checking its type first spares other values the bridging that a
/// cast to a class tries.
func modelObject(_ value: Any) -> ObjectBase? {
  type(of: value) is ObjectBase.Type ? value as? ObjectBase : nil
}

/// Whether `value` is nil in one of its untyped forms: an empty optional, or `NSNull`.
func isNil(_ value: Any) -> Bool {
  if value is NSNull { return true }
  guard let optional = value as? any AnyOptional else { return false }
  guard let wrapped = optional.wrapped else { return true }
  return isNil(wrapped)
}

/// `value` without the optionals around it; nil if it is nil.
func unwrapped(_ value: Any) -> Any? {
  if value is NSNull { return nil }
  guard let optional = value as? any AnyOptional else { return value }
  guard let wrapped = optional.wrapped else { return nil }
  return unwrapped(wrapped)
}

/// Null among untyped values: an `NSNull` that casts turn into nil where an optional is expected.
///
/// On Apple's systems casts do that with every `NSNull`; elsewhere only with what a nil becomes
/// when it is bridged to an object, so arrays of it can be cast to arrays of optionals.
var untypedNull: AnyObject { Any?.none as AnyObject }

/// `value` as untyped access returns it: without optionals, and of a mixed value the value inside;
/// nil for null.
func untypedValue(_ value: Any) -> Any? {
  guard let value = unwrapped(value) else { return nil }
  // Checking the type first spares other values the casts of a pattern.
  guard type(of: value) == AnyRealmValue.self, let mixed = value as? AnyRealmValue else {
    return value
  }
  return mixed.plain
}

/// The stored form of a value of a type of the program: the raw value of an enumeration, the
/// persisted value of a custom type; nil for values of other types.
func persistedForm(_ value: Any) -> Any? {
  switch value {
  case let custom as any _CustomPersistable: custom.persistableValue
  case let enumeration as any RealmEnum & RawRepresentable: enumeration.rawValue
  default: nil
  }
}

extension [Any] {
  /// The elements of a sequence of any type.
  init<S: Sequence>(erasing sequence: S) { self = sequence.map { $0 as Any } }
}

/// `value` as a sequence of elements, if it is an array, a set or a collection of a realm; nil for
/// strings, bytes and dictionaries, which are sequences too, and for everything else.
func enumerable(_ value: Any) -> (any Sequence)? {
  guard let value = unwrapped(value) else { return nil }
  switch swiftValue(value) {
  case is String, is Data, is [String: Any]: return nil
  default: return value as? any Sequence
  }
}
