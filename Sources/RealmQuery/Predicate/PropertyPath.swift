// SPDX-License-Identifier: Apache-2.0

// Key paths as they were written: by the names of properties, before anything is known of columns.

/// The path from an object, or from an element of a collection, to values.
package struct PropertyPath: Hashable, Sendable {
  /// One step of a path.
  package enum Component: Hashable, Sendable {
    /// A property. Types say whether it is a collection or a backlink; strings do not.
    case property(String, isMany: Bool?)
    /// The objects that link here: class and property.
    case links(String, String)
    /// `@count`, `@min` and so on, without the sign.
    case function(String)
    /// An element, the keys or the like of a collection or of a value of any type.
    case part(CollectionPart)
    /// The same, where the position or key is an argument.
    case argumentPart(CollectionPart)
    /// Something in brackets that is neither a position nor a key, as it was spelled.
    case unknownPart(String)
  }

  /// Empty for the object, or the value, itself.
  package private(set) var components: [Component]
  /// The number of conditions on elements, outside of the innermost, in which the path begins.
  package var level = 0
  /// Whether the path stands in a subquery of a query string without a variable: it begins at the
  /// element, if that has such a property, and else at the object that the query is about.
  package var isBare = false
  /// The number of components that lead to the element at which the path begins, as long as the
  /// elements of that collection are not counted.
  package var elementStart = 0

  package init(_ components: [Component] = [], level: Int = 0) {
    self.components = components
    self.level = level
  }

  /// The function of the collection on the path.
  package var function: CollectionFunction? {
    for case .function(let name) in components { return CollectionFunction(rawValue: name) }
    return nil
  }

  /// The part that the path takes from the collection, or from the value, at its end.
  package var lastPart: CollectionPart? { components.last?.part }

  /// Whether the path is that of a query string, which does not know its collections.
  var isUntyped: Bool {
    !components.isEmpty
      && !components.contains { if case .property(_, _?) = $0 { true } else { false } }
  }

  /// The index of the first component, from `start` on, that is known to lead to many values.
  package func firstMany(from start: Int = 0) -> Int? {
    for index in components.indices.dropFirst(start) {
      guard case .property(_, isMany: true) = components[index] else { continue }
      if !parts(after: index).contains(where: \.isOne) { return index }
    }
    return nil
  }

  /// The parts that the path takes from the value of the component at an index.
  private func parts(after index: Int) -> [CollectionPart] {
    let rest = components[(index + 1)...]
    return rest.prefix { $0.part != nil }.compactMap(\.part)
  }

  /// The path with other components, one for each.
  func replacing(_ components: [Component]) -> PropertyPath {
    assert(components.count == self.components.count, "`elementStart` counts the components")
    var path = self
    path.components = components
    return path
  }

  /// The path continued by another component.
  package func appending(_ component: Component) -> PropertyPath {
    var path = self
    path.components.append(component)
    return path
  }

  /// The path with what is computed from its first collection, or from the value at its end. All
  /// elements that the path leads to are counted, which is said last.
  package func applying(_ function: CollectionFunction) -> PropertyPath {
    var path = self
    var index = components.count
    if function != .count, let first = firstMany(from: elementStart) {
      index = first + 1 + parts(after: first).count
    }
    path.components.insert(.function(function.rawValue), at: index)
    return path
  }

  // MARK: - Elements

  /// The path to the first collection that is known to be one.
  package var firstCollection: PropertyPath? {
    firstMany().map { PropertyPath(Array(components[...($0 + parts(after: $0).count)])) }
  }

  /// Whether the path begins with a collection; it may name the values of a map as such, or not.
  package func starts(with collection: PropertyPath) -> Bool {
    components.starts(with: collection.componentsBeforeValues)
  }

  private var componentsBeforeValues: ArraySlice<Component> {
    lastPart == .values ? components.dropLast() : components[...]
  }

  /// Whether the path ends where it begins: at the object, or the element, itself.
  package var isElement: Bool { components.count == elementStart }

  /// The path from an element of a collection on, which it begins with.
  package func fromElement(of collection: PropertyPath) -> PropertyPath {
    var path = self
    path.components.removeFirst(collection.componentsBeforeValues.count)
    if path.components.first == .part(.values) { path.components.removeFirst() }
    path.elementStart = max(0, elementStart - collection.components.count)
    guard let function else { return path }
    // The collection that the function is about is the first from here on.
    path.components.removeAll { if case .function = $0 { true } else { false } }
    return path.applying(function)
  }
}

extension PropertyPath.Component {
  /// The part that the component takes from a collection or a value; nil for others.
  package var part: CollectionPart? {
    switch self {
    case .part(let part), .argumentPart(let part): part
    case .property, .links, .function, .unknownPart: nil
    }
  }
}

/// A part of a collection, or of a value that may be one, as it follows in brackets.
package enum CollectionPart: Hashable, Sendable {
  /// The value that a dictionary has for a key; null if there is none.
  case value(of: String)
  /// The keys of a dictionary.
  case keys
  /// The values of a dictionary.
  case values
  /// The element at a position of a list; null if there is none.
  case index(Int)
  case first, last
  /// Each element of a list, each value of a dictionary.
  case every
  /// The name of the type of a value of any type.
  case type

  var text: String {
    switch self {
    case .value(let key): "['\(key)']"
    case .keys: ".@allKeys"
    case .values: ".@allValues"
    case .index(let index): "[\(index)]"
    case .first: "[FIRST]"
    case .last: "[LAST]"
    case .every: "[*]"
    case .type: ".@type"
    }
  }

  /// Whether the part is any number of values.
  var isMany: Bool {
    switch self {
    case .keys, .values, .every: true
    case .value, .index, .first, .last, .type: false
    }
  }

  /// Whether the part is one element.
  var isOne: Bool {
    switch self {
    case .value, .index, .first, .last: true
    case .keys, .values, .every, .type: false
    }
  }

  var isType: Bool { if case .type = self { true } else { false } }
}
