// SPDX-License-Identifier: Apache-2.0

// `Projected`: the property wrapper of the properties of projections.

import RealmSession

/// Declares a property of a projection: the value that a key path leads to from its object.
///
/// ```swift
/// @Projected(\Person.name) var title
/// ```
///
/// It can be set if the key path is writable, and where the object's property can be set.
@propertyWrapper
public struct Projected<T: ObjectBase, Value> {
  fileprivate let keyPath: KeyPath<T, Value>

  /// Declares a property that shows the value that `projectedKeyPath` leads to.
  public init(_ projectedKeyPath: KeyPath<T, Value>) { keyPath = projectedKeyPath }

  /// Unavailable outside of classes that inherit from `Projection`.
  @available(
    *, unavailable, message: "@Projected can only be used as a property on a Projection"
  )
  public var wrappedValue: Value {
    get { throwRealmException("@Projected can only be used as a property on a Projection") }
    set { throwRealmException("@Projected can only be used as a property on a Projection") }
  }

  /// Reads and writes the property of the object that `projection` shows.
  public static subscript<EnclosingSelf: Projection<T>>(
    _enclosingInstance projection: EnclosingSelf,
    wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
    storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Self>
  ) -> Value {
    get { projection.rootObject[keyPath: projection[keyPath: storageKeyPath].keyPath] }
    set {
      let keyPath = projection[keyPath: storageKeyPath].keyPath
      guard let writable = keyPath as? ReferenceWritableKeyPath<T, Value> else {
        throwRealmException("KeyPath is not writable")
      }
      projection.rootObject[keyPath: writable] = newValue
    }
  }
}

/// The type of a `@Projected` field.
protocol AnyProjected: SendableMetatype {
  /// The content of the field in memory: the key path, and code that reads it from an object.
  static func content(
    at address: UnsafeRawPointer
  ) -> (keyPath: AnyKeyPath, read: (ObjectBase) -> Any?)
}

extension Projected: AnyProjected {
  static func content(
    at address: UnsafeRawPointer
  ) -> (keyPath: AnyKeyPath, read: (ObjectBase) -> Any?) {
    let keyPath = unsafe address.assumingMemoryBound(to: Self.self).pointee.keyPath
    return (keyPath, { ($0 as? T).flatMap { unwrapped($0[keyPath: keyPath]) } })
  }
}
