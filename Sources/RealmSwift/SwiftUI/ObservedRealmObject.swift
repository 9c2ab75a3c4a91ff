// SPDX-License-Identifier: Apache-2.0

// `ObservedRealmObject`: an object or a collection that a SwiftUI view receives.

#if canImport(SwiftUI)
import RealmSession
public import SwiftUI

/// An object, a collection or a projection that a view receives and shows.
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
public struct ObservedRealmObject<ObjectType: RealmSubscribable>: DynamicProperty {
  @ObservedObject private var shown: ShownValue<ObjectType>

  /// Shows a value, managed or not.
  public init(wrappedValue: ObjectType) {
    _shown = ObservedObject(wrappedValue: ShownValue(wrappedValue))
  }

  /// The value as it is; frozen, if a realm manages it.
  public var wrappedValue: ObjectType {
    get { shown.value }
    nonmutating set { shown.replace(by: newValue) }
  }

  /// Bindings of its properties.
  public var projectedValue: Wrapper { Wrapper(shown) }

  /// The projected value (`$dog`): bindings of the properties, and changes of the whole.
  @MainActor @dynamicMemberLookup
  public struct Wrapper {
    private let shown: ShownValue<ObjectType>

    init(_ shown: ShownValue<ObjectType>) { self.shown = shown }

    /// The value as it is; frozen, if a realm manages it.
    public var wrappedValue: ObjectType {
      get { shown.value }
      nonmutating set { shown.replace(by: newValue) }
    }

    /// A binding of a property. Setting it changes the object, in a transaction of its own.
    public subscript<Subject>(
      dynamicMember keyPath: ReferenceWritableKeyPath<ObjectType, Subject>
    ) -> Binding<Subject> { propertyBinding(shown.value, keyPath) }
  }
}

extension ObservedRealmObject.Wrapper where ObjectType: ObjectBase {
  /// Deletes the object.
  public func delete() { changeLive(wrappedValue) { object in object.realm?.delete(object) } }
}

extension ObservedRealmObject.Wrapper: BoundCollection where ObjectType: RealmCollection {
  /// The type of the collection.
  public typealias Value = ObjectType
  /// The elements are those of the collection.
  public typealias Element = ObjectType.Element
}

extension ObservedRealmObject.Wrapper: BoundMap where ObjectType: RealmKeyedCollection {}
#endif
