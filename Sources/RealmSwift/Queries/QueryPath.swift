// SPDX-License-Identifier: Apache-2.0

// The paths in queries.

import RealmQuery

/// The properties that lead from the object to a value.
struct QueryPath {
  var names: [String]
  /// How many of the names lead to the first collection; nil if there is none.
  var collectionLength: Int?
  /// What is computed from the collection.
  var function: CollectionFunction?
  /// What is asked of the map at the end.
  var part: Part?

  /// A part of a map.
  enum Part {
    /// The value of a key.
    case value(of: String)
    case keys
    case values
  }

  /// The path continued by a property; `isCollection` tells whether that holds many values.
  func appending(_ name: String, isCollection: Bool) -> QueryPath {
    var path = self
    switch part {
    case .value: throwRealmException("Cannot apply key path to Map subscripts.")
    case .keys: throwRealmException("Key paths can only be applied to properties.")
    // A property of any of the objects.
    case .values, nil: path.part = nil
    }
    path.names += name.split(separator: ".").map(String.init)
    if isCollection, path.collectionLength == nil { path.collectionLength = path.names.count }
    return path
  }

  func applying(_ function: CollectionFunction) -> QueryPath {
    var path = self
    path.function = function
    return path
  }

  /// The path to a part of the map that this path leads to.
  func taking(_ part: Part) -> QueryPath {
    var path = self
    path.part = part
    // One value, unless the path leads through another collection.
    if case .value = part, collectionLength == names.count { path.collectionLength = nil }
    return path
  }

  /// The path for the engine, by the names of columns.
  func propertyPath(_ columnNames: [String]) -> PropertyPath {
    let part: DictionaryPart? =
      switch self.part {
      case .value(let key): .value(of: key)
      case .keys: .keys
      case .values, nil: nil
      }
    return PropertyPath(columnNames, function: function, part: part)
  }

  /// As predicates spell it: `a.b`, `ANY list.b`, `list.@count`, `list.@avg.price`.
  var text: String {
    guard let function, let length = collectionLength else {
      return (collectionLength == nil ? "" : "ANY ") + names.joined(separator: ".") + partText
    }
    var parts = names[..<length].joined(separator: ".") + ".@" + function.rawValue
    for name in names[length...] { parts += "." + name }
    return parts
  }

  private var partText: String {
    switch part {
    case .value: "[%@]"
    case .keys: ".@allKeys"
    case .values: ".@allValues"
    case nil: ""
    }
  }

  /// The names alone, as operators on the whole collection use them.
  var plainText: String { names.joined(separator: ".") }
}
