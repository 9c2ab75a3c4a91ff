// SPDX-License-Identifier: Apache-2.0

// Values that come as `Any`, from dictionaries and arrays.

import Foundation

/// An optional of some type, seen through `Any`.
private protocol AnyOptional {
  var wrapped: Any? { get }
}

extension Optional: AnyOptional {
  fileprivate var wrapped: Any? { self }
}

/// `value` if it is a model object. Asking its type first spares other values the bridging that a
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

/// `value` as a sequence of elements, if it is an array, a set or a collection of a realm; nil for
/// texts, bytes and dictionaries, which are sequences too, and for everything else.
func enumerable(_ value: Any) -> (any Sequence)? {
  guard let value = unwrapped(value) else { return nil }
  switch swiftValue(value) {
  case is String, is Data, is [String: Any]: return nil
  default: return value as? any Sequence
  }
}
