// SPDX-License-Identifier: Apache-2.0

// The runtime of Objective-C: what our sources call of it.

// swift-format-ignore-file: AlwaysUseLowerCamelCase

@_exported public import Darwin

/// What the standard library has on Apple's systems only.
public struct AutoreleasingUnsafeMutablePointer<Pointee> {
  public subscript(index: Int) -> Pointee { fatalError() }
}

extension UnsafeMutableRawPointer {
  public init<T>(_ pointer: AutoreleasingUnsafeMutablePointer<T>) { fatalError() }
}

/// The opaque type of a property.
public typealias objc_property_t = OpaquePointer

public func objc_copyClassList(
  _ count: UnsafeMutablePointer<UInt32>?
) -> AutoreleasingUnsafeMutablePointer<AnyClass>? { fatalError() }

public func class_getSuperclass(_ type: AnyClass?) -> AnyClass? { fatalError() }

public func class_copyPropertyList(
  _ type: AnyClass?, _ count: UnsafeMutablePointer<UInt32>?
) -> UnsafeMutablePointer<objc_property_t>? { fatalError() }

public func property_getName(_ property: objc_property_t) -> UnsafePointer<CChar> { fatalError() }

public func property_copyAttributeValue(
  _ property: objc_property_t, _ name: UnsafePointer<CChar>
) -> UnsafeMutablePointer<CChar>? { fatalError() }

public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result {
  fatalError()
}
