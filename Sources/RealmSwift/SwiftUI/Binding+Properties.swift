// SPDX-License-Identifier: Apache-2.0

// Bindings of the properties of objects and projections.

#if canImport(SwiftUI)
import RealmSession
public import SwiftUI

/// A binding of a property, whose value is that of the live form of `root`.
@MainActor func propertyBinding<Root: ThreadConfined, Value>(
  _ root: Root, _ keyPath: ReferenceWritableKeyPath<Root, Value>
) -> Binding<Value> {
  let property = ShownProperty(root, keyPath)
  return Binding(
    get: { MainActor.assumeIsolated { UnsafeTransfer(shownForm(property.value)) }.value },
    set: { value in
      let value = UnsafeTransfer(value)
      MainActor.assumeIsolated { property.value = value.value }
    })
}

/// What a view may keep of a value: collections frozen.
@MainActor private func shownForm<Value>(_ value: Value) -> Value {
  guard let confined = value as? any ThreadConfined, !(value is ObjectBase),
    confined.realm != nil, !confined.isInvalidated
  else { return value }
  return confined.freeze() as? Value ?? value
}

extension ThreadConfined where Self: ObjectBase {
  /// A binding of a property, for views that receive the object itself. Setting it changes the live
  /// object in a transaction.
  @MainActor public func bind<V>(_ keyPath: ReferenceWritableKeyPath<Self, V>) -> Binding<V> {
    propertyBinding(self, keyPath)
  }
}

extension ThreadConfined where Self: ProjectionObservable {
  /// A binding of a property of a projection. Setting it changes the live object in a transaction.
  @MainActor public func bind<V>(_ keyPath: ReferenceWritableKeyPath<Self, V>) -> Binding<V> {
    propertyBinding(self, keyPath)
  }
}

extension Binding where Value: ObjectBase & ThreadConfined {
  /// A binding of a property of the object. Setting it changes the live object in a transaction.
  @MainActor
  public subscript<V: _Persistable>(
    dynamicMember member: ReferenceWritableKeyPath<Value, V>
  ) -> Binding<V> { propertyBinding(wrappedValue, member) }
}

extension Binding where Value: Object {
  /// Deletes the object.
  @MainActor public func delete() {
    changeLive(wrappedValue) { object in object.realm?.delete(object) }
  }
}

extension Binding where Value: ProjectionObservable, Value.Root: ThreadConfined {
  /// Deletes the object of the projection.
  @MainActor public func delete() {
    changeLive(wrappedValue.rootObject) { object in object.realm?.delete(object) }
  }
}
#endif
