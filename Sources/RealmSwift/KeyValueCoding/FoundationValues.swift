// SPDX-License-Identifier: Apache-2.0

// Converts Foundation's value classes, as `create`, untyped setters and `JSONSerialization` receive
// or return them, to Swift's types. A number stays an integer, a boolean or a floating-point
// number, which casts of `NSNumber` do not ensure.

import Foundation

/// `value` as a value of Swift, if it is an object of one of Foundation's value classes; anything
/// else as it is.
func swiftValue(_ value: Any) -> Any {
  // Checking the type first spares other values the bridging that a cast to a class tries.
  guard type(of: value) is NSObject.Type else {
    guard type(of: value) is any AnyOptionalObject.Type, let value = unwrapped(value) else {
      return value
    }
    return swiftValue(value)
  }
  switch value {
  case let number as NSDecimalNumber: return number.decimalValue
  case let number as NSNumber: return number.swiftNumber
  case let text as NSString: return String(describing: text)
  case let date as NSDate: return date as Date
  case let data as NSData: return data as Data
  case let uuid as NSUUID: return uuid as UUID
  default: return value
  }
}

/// Optionals of Foundation's classes.
private protocol AnyOptionalObject {}

extension Optional: AnyOptionalObject where Wrapped: NSObject {}

extension NSNumber {
  /// The number as `Bool`, `Int`, `UInt64`, `Float` or `Double`, by the type it was made of.
  fileprivate var swiftNumber: Any {
    if isBoolean { return boolValue }
    return switch unsafe UInt8(bitPattern: objCType.pointee) {
    case UInt8(ascii: "d"): doubleValue
    case UInt8(ascii: "f"): floatValue
    case UInt8(ascii: "Q"): uint64Value
    default: intValue
    }
  }

  private var isBoolean: Bool {
    #if canImport(Darwin)
    CFGetTypeID(self) == CFBooleanGetTypeID()
    #else
    // Integers of 8 bits are reported as wider ones here.
    unsafe UInt8(bitPattern: objCType.pointee) == UInt8(ascii: "c")
    #endif
  }
}
