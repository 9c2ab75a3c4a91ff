// SPDX-License-Identifier: Apache-2.0

// `StateRealmObject`: an object or a collection that a SwiftUI view owns.

#if canImport(SwiftUI)
import RealmSession
public import SwiftUI

/// An object, a collection or a projection that a view owns and shows.
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
    nonmutating set { shown.replace(by: newValue) }
  }

  /// A binding of the value, whose members are bindings of its properties.
  public var projectedValue: Binding<Value> {
    let shown = shown
    return Binding(
      get: { MainActor.assumeIsolated { UnsafeTransfer(shown.value) }.value },
      set: { value in
        let value = UnsafeTransfer(value)
        MainActor.assumeIsolated { shown.replace(by: value.value) }
      })
  }
}
#endif
