// SPDX-License-Identifier: Apache-2.0

// Casts that other SDKs need between their values and Objective-C's. Here there is one kind only.

/// `x` as a `T`. Ends the process if it is none.
public func dynamicBridgeCast<T>(fromObjectiveC x: Any) -> T {
  guard let value = x as? T else {
    throwRealmException("Could not convert value '\(x)' to type '\(T.self)'.")
  }
  return value
}

/// `x` as it is.
public func dynamicBridgeCast<T>(fromSwift x: T) -> Any { x }
