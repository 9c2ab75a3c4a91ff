// SPDX-License-Identifier: Apache-2.0

// `BoundCollection`: collections in views, whose methods write in a transaction of their own.

#if canImport(SwiftUI)
public import Foundation
public import SwiftUI

/// A collection that a view shows, as `$` gives it: its methods change the live collection, in a
/// write transaction of their own if a realm manages it.
@MainActor @preconcurrency
public protocol BoundCollection {
  /// The type of the collection.
  associatedtype Value
  /// The type of its elements.
  associatedtype Element: RealmCollectionValue

  /// The collection.
  var wrappedValue: Value { get }
}

extension BoundCollection where Value: RealmCollection {
  /// The positions of the collection.
  public typealias Index = Value.Index
  /// The positions of the collection.
  public typealias Indices = Value.Indices
}

extension BoundCollection where Value == List<Element> {
  /// Removes an element.
  public func remove(at index: Int) { changeLive(wrappedValue) { $0.remove(at: index) } }

  /// Removes elements.
  public func remove(atOffsets offsets: IndexSet) {
    changeLive(wrappedValue) { $0.remove(atOffsets: offsets) }
  }

  /// Moves elements.
  public func move(fromOffsets offsets: IndexSet, toOffset destination: Int) {
    changeLive(wrappedValue) { $0.move(fromOffsets: offsets, toOffset: destination) }
  }

  /// Appends an element; an object that another view shows is appended itself.
  public func append(_ value: Element) { changeLive(wrappedValue) { $0.append(live(value)) } }
}

extension BoundCollection where Value == MutableSet<Element> {
  /// Removes an element.
  public func remove(_ element: Element) {
    changeLive(wrappedValue) { $0.remove(live(element)) }
  }

  /// Inserts an element.
  public func insert(_ value: Element) { changeLive(wrappedValue) { $0.insert(live(value)) } }
}

extension BoundCollection where Value == Results<Element>, Element: ObjectBase {
  /// Deletes an object, if it is among the results.
  public func remove(_ object: Element) {
    guard object.realm != nil, let object = object.thaw() else { return }
    changeLive(wrappedValue) { results in
      if results.index(of: object) != nil { results.realm?.delete(object) }
    }
  }

  /// Deletes the objects at some positions, as the view shows them.
  public func remove(atOffsets offsets: IndexSet) {
    let shown = offsets.map { wrappedValue[$0] }
    changeLive(wrappedValue) { results in
      for object in shown {
        if let object = object.thaw() { results.realm?.delete(object) }
      }
    }
  }
}

extension BoundCollection where Value == Results<Element>, Element: Object {
  /// Adds an object to the realm of the results.
  public func append(_ value: Element) {
    changeLive(wrappedValue) { $0.realm?.add(live(value)) }
  }
}

extension BoundCollection
where
  Value == Results<Element>, Element: ProjectionObservable,
  Element.Root: Object
{
  /// Adds the object of a projection to the realm of the results.
  public func append(_ value: Element) {
    changeLive(wrappedValue) { $0.realm?.add(live(value.rootObject)) }
  }

  /// Deletes the objects of the projections at some positions, as the view shows them.
  public func remove(atOffsets offsets: IndexSet) {
    let shown = offsets.map { wrappedValue[$0].rootObject }
    changeLive(wrappedValue) { results in
      for object in shown {
        if let object = object.thaw() { results.realm?.delete(object) }
      }
    }
  }
}

extension Binding: BoundCollection where Value: RealmCollection {
  /// The elements are those of the collection.
  public typealias Element = Value.Element
  /// The positions of the collection.
  public typealias Index = Value.Index
  /// The positions of the collection.
  public typealias Indices = Value.Indices
}

/// A map that a view shows, as `$` gives it: its methods change the live map, in a write
/// transaction of their own if a realm manages it.
@MainActor @preconcurrency
public protocol BoundMap {
  /// The type of the map.
  associatedtype Value: RealmKeyedCollection

  /// The map.
  var wrappedValue: Value { get }
}

extension BoundMap {
  /// The value of a key; nil if there is none.
  public subscript(key: Value.Key) -> Value.Value? { wrappedValue[key] }

  /// Sets the value of a key; nil removes the entry.
  public func set(object: Value.Value?, for key: Value.Key) {
    changeLive(wrappedValue) { map in
      var map = map
      map[key] = object.map { live($0) }
    }
  }
}

extension Binding: BoundMap where Value: RealmKeyedCollection {}
#endif
