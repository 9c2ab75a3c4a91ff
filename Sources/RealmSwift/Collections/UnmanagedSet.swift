// SPDX-License-Identifier: Apache-2.0

// The elements of a set that belongs to no realm.

/// Distinct elements in the order in which they were inserted.
struct UnmanagedSet<Element: RealmCollectionValue>: Equatable {
  private(set) var elements: [Element] = []
  /// The same elements. May lack objects: their hash changes when they become managed.
  private var members: Set<Element> = []

  func contains(_ element: Element) -> Bool {
    members.contains(element) || element is ObjectBase && elements.contains(element)
  }

  mutating func insert(_ element: Element) {
    if contains(element) { return }
    elements.append(element)
    members.insert(element)
  }

  mutating func remove(_ element: Element) {
    guard let index = elements.firstIndex(of: element) else { return }
    members.remove(element)
    elements.remove(at: index)
  }

  static func == (left: UnmanagedSet, right: UnmanagedSet) -> Bool {
    left.elements.count == right.elements.count && left.elements.allSatisfy(right.contains)
  }
}
