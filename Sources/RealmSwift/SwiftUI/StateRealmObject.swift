// SPDX-License-Identifier: Apache-2.0

// `StateRealmObject` and `ObservedRealmObject`: objects and collections in SwiftUI views.

#if canImport(SwiftUI)
public import Foundation
import RealmSession
public import SwiftUI

/// An object or a collection that a view owns and shows.
///
/// ```swift
/// struct NewDog: View {
///   @StateRealmObject var dog = Dog()
///   var body: some View { TextField("Name", text: $dog.name) }
/// }
/// ```
///
/// The view gets it frozen. Its bindings write.
@MainActor @propertyWrapper
public struct StateRealmObject<Value: RealmSubscribable>: DynamicProperty {
  @StateObject private var shown: ShownValue<Value>

  /// Shows a value, managed or not.
  public init(wrappedValue: Value) {
    let value = UnsafeTransfer(wrappedValue)
    _shown = StateObject(
      wrappedValue: MainActor.assumeIsolated { ShownValue(value.value) })
  }

  /// The value as it is; frozen, if a realm manages it.
  public var wrappedValue: Value {
    get { shown.value }
    nonmutating set { shown.show(newValue) }
  }

  /// Bindings of its properties.
  public var projectedValue: ShownBindings<Value> { ShownBindings(shown) }
}

/// An object or a collection that a view receives and shows.
///
/// ```swift
/// struct DogView: View {
///   @ObservedRealmObject var dog: Dog
///   var body: some View { TextField("Name", text: $dog.name) }
/// }
/// ```
///
/// The view gets it frozen, and is redrawn after each change. Its bindings write.
@MainActor @propertyWrapper
public struct ObservedRealmObject<Value: RealmSubscribable>: DynamicProperty {
  @ObservedObject private var shown: ShownValue<Value>

  /// Shows a value, managed or not.
  public init(wrappedValue: Value) {
    _shown = ObservedObject(wrappedValue: ShownValue(wrappedValue))
  }

  /// The value as it is; frozen, if a realm manages it.
  public var wrappedValue: Value {
    get { shown.value }
    nonmutating set { shown.show(newValue) }
  }

  /// Bindings of its properties.
  public var projectedValue: ShownBindings<Value> { ShownBindings(shown) }
}

/// The projected value of a shown value (`$dog`): bindings of its properties, and changes of the
/// whole.
@MainActor @dynamicMemberLookup
public struct ShownBindings<Value: RealmSubscribable> {
  private let shown: ShownValue<Value>

  init(_ shown: ShownValue<Value>) { self.shown = shown }

  /// A binding of a property. Setting it changes the object, in a transaction of its own.
  public subscript<V>(
    dynamicMember member: ReferenceWritableKeyPath<Value, V>
  ) -> Binding<V> {
    let shown = UnsafeTransfer(shown)
    let member = UnsafeTransfer(member)
    return Binding(
      get: {
        MainActor.assumeIsolated { UnsafeTransfer(shown.value.value[keyPath: member.value]) }.value
      },
      set: { value in
        let value = UnsafeTransfer(value)
        MainActor.assumeIsolated {
          shown.value.change { $0[keyPath: member.value] = value.value }
        }
      })
  }

  /// Deletes the object.
  public func delete() where Value: Object {
    shown.change { object in object.realm?.delete(object) }
  }

  /// Appends an element to the list.
  public func append<Element>(_ element: Element) where Value == List<Element> {
    shown.change { $0.append(element) }
  }

  /// Removes an element of the list.
  public func remove<Element>(at index: Int) where Value == List<Element> {
    shown.change { $0.remove(at: index) }
  }

  /// Removes elements of the list.
  public func remove<Element>(atOffsets offsets: IndexSet) where Value == List<Element> {
    shown.change { $0.remove(atOffsets: offsets) }
  }

  /// Moves elements of the list.
  public func move<Element>(
    fromOffsets offsets: IndexSet, toOffset destination: Int
  ) where Value == List<Element> {
    shown.change { $0.move(fromOffsets: offsets, toOffset: destination) }
  }
}
#endif
