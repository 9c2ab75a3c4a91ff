// SPDX-License-Identifier: Apache-2.0

// Methods of bindings that change their collection or object, in a transaction of their own.

#if canImport(SwiftUI)
public import Foundation
public import SwiftUI

extension Binding {
  /// Appends an element to the list.
  @MainActor public func append<Element>(_ element: Element) where Value == List<Element> {
    changeLive(wrappedValue) { $0.append(element) }
  }

  /// Removes an element of the list.
  @MainActor public func remove<Element>(at index: Int) where Value == List<Element> {
    changeLive(wrappedValue) { $0.remove(at: index) }
  }

  /// Removes elements of the list.
  @MainActor public func remove<Element>(atOffsets offsets: IndexSet) where Value == List<Element> {
    changeLive(wrappedValue) { $0.remove(atOffsets: offsets) }
  }

  /// Moves elements of the list.
  @MainActor public func move<Element>(
    fromOffsets offsets: IndexSet, toOffset destination: Int
  ) where Value == List<Element> {
    changeLive(wrappedValue) { $0.move(fromOffsets: offsets, toOffset: destination) }
  }

  /// Inserts an element into the set.
  @MainActor public func insert<Element>(_ element: Element) where Value == MutableSet<Element> {
    changeLive(wrappedValue) { $0.insert(element) }
  }

  /// Removes an element of the set.
  @MainActor public func remove<Element>(_ element: Element) where Value == MutableSet<Element> {
    changeLive(wrappedValue) { $0.remove(element) }
  }

  /// Sets the value of a key of the map; nil removes the entry.
  @MainActor public func set<Element>(
    object: Element?, for key: String
  ) where Value == Map<String, Element> {
    changeLive(wrappedValue) { $0[key] = object }
  }

  /// Deletes the object.
  @MainActor public func delete() where Value: Object {
    changeLive(wrappedValue) { object in object.realm?.delete(object) }
  }
}
#endif
