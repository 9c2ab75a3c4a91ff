// SPDX-License-Identifier: Apache-2.0

// Casts that other SDKs need between their values and Objective-C's. Here both are the same values.

import RealmSession

/// `x` as a `T`; `NSNull` as nil where `T` is optional. Traps if it is no `T`.
public func dynamicBridgeCast<T>(fromObjectiveC x: Any) -> T {
  if let value = x as? T { return value }
  if isNil(x), let null = Any?.none as Any as? T { return null }
  throwRealmException("Could not convert value '\(x)' to type '\(T.self)'.")
}

/// `x` as it is.
public func dynamicBridgeCast<T>(fromSwift x: T) -> Any { x }
