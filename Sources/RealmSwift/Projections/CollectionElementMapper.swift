// SPDX-License-Identifier: Apache-2.0

// `projectTo`: the step from a collection of objects to the values of one of their properties.

/// A collection of objects, one property of which is to be projected: the result of `projectTo`.
@dynamicMemberLookup
public struct CollectionElementMapper<Element: ObjectBase, ObjectCollection: RealmCollection>
where ObjectCollection.Element == Element {
  private let collection: ObjectCollection
  /// Whether the collection is read to find the name of a key path.
  private let isRecording: Bool

  init(_ collection: ObjectCollection, isRecording: Bool) {
    self.collection = collection
    self.isRecording = isRecording
  }

  /// The values of a property of all objects.
  public subscript<Value: RealmCollectionValue>(
    dynamicMember member: KeyPath<Element, Value>
  ) -> ProjectedCollection<Value> {
    if isRecording { _ = collection[0][keyPath: member] }
    return ProjectedCollection(ProjectedElements(collection, member))
  }
}

extension List where Element: ObjectBase {
  /// The objects as the source of the values of one of their properties:
  /// `person.dogs.projectTo.name`.
  public var projectTo: CollectionElementMapper<Element, List> {
    CollectionElementMapper(self, isRecording: isRecording)
  }
}

extension MutableSet where Element: ObjectBase {
  /// The objects as the source of the values of one of their properties:
  /// `shelf.dogs.projectTo.name`.
  public var projectTo: CollectionElementMapper<Element, MutableSet> {
    CollectionElementMapper(self, isRecording: isRecording)
  }
}
