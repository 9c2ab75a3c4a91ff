// SPDX-License-Identifier: Apache-2.0

// The paths in queries.

import RealmQuery
import RealmSession

/// The properties that lead from the object to a value.
struct QueryPath {
  var names: [String]
  /// How many of the names lead to the object that the path begins at: none for that of the query,
  /// more for an element of a collection; nil for the innermost, whichever it is. Below zero, the
  /// names are counted from an element that many subqueries further out.
  var base: Int?
  /// How many of the names lead to the first collection; nil if there is none.
  var collectionLength: Int?
  /// Whether there are more collections behind the first.
  var hasSeveralCollections = false
  /// How many of the names lead to the second collection; for texts alone.
  private var secondLength: Int?
  /// The indexes of the names of maps, to whose objects the path goes on; for texts alone.
  private var maps: Set<Int> = []
  /// What is computed from the collection.
  var function: CollectionFunction?
  /// What is taken out of collections and nested values, by the index of the name in front of it.
  var parts: [Int: [Part]] = [:]

  init(
    names: [String], base: Int? = nil, collectionLength: Int? = nil,
    function: CollectionFunction? = nil, parts: [Int: [Part]] = [:]
  ) {
    self.names = names
    self.base = base
    self.collectionLength = collectionLength
    self.function = function
    self.parts = parts
  }

  /// What stands behind a collection, or behind a value that may be one.
  enum Part: Equatable {
    /// The value of a key.
    case value(of: String)
    case index(Int)
    case first, last
    /// The keys of a map.
    case keys
    /// The values of a map.
    case values
    /// Any element of whatever it is.
    case any
    /// The name of the type of a value.
    case type

    var engine: CollectionPart {
      switch self {
      case .value(let key): .value(of: key)
      case .index(let index): .index(index)
      case .first: .first
      case .last: .last
      case .keys: .keys
      case .values, .any: .every
      case .type: .type
      }
    }
  }

  /// What the path takes out of the collection, or of the value, at its end.
  var lastParts: [Part] { parts[names.count - 1] ?? [] }

  /// The path continued by a property; `isCollection` tells whether that holds many values.
  ///
  /// - Parameter leadsThroughMap: Whether the path leads to a map so far.
  func appending(
    _ name: String, isCollection: Bool, leadsThroughMap: Bool = false
  ) -> QueryPath {
    var path = self
    switch lastParts.last {
    case .value, .index, .first, .last:
      throwRealmException("Cannot apply key path to Map subscripts.")
    case .keys, .type: throwRealmException("Key paths can only be applied to properties.")
    // A property of any of the objects.
    case .values, .any:
      path.parts[names.count - 1] = nil
      if lastParts.last == .values { path.maps.insert(names.count - 1) }
    case nil: break
    }
    if leadsThroughMap { path.maps.insert(names.count - 1) }
    path.names += name.split(separator: ".").map(String.init)
    guard isCollection else { return path }
    if path.collectionLength == nil {
      path.collectionLength = path.names.count
    } else if path.secondLength == nil {
      path.secondLength = path.names.count
    }
    return path
  }

  func applying(_ function: CollectionFunction) -> QueryPath {
    var path = self
    path.function = function
    return path
  }

  /// The path to a part of the collection, or of the value, that this path leads to.
  func taking(_ part: Part) -> QueryPath {
    var path = self
    path.parts[names.count - 1, default: []].append(part)
    // One value, unless the path leads through another collection.
    switch part {
    case .value, .index, .first, .last:
      if collectionLength == names.count { path.collectionLength = nil }
    case .keys, .values, .any, .type: break
    }
    return path
  }

  /// The path for the engine, by the names of columns.
  func propertyPath(_ columnNames: [String]) -> PropertyPath {
    var path = PropertyPath(
      columnNames, function: function, parts: parts.mapValues { $0.map(\.engine) })
    path.collectionLength = collectionLength
    return path
  }

  /// As predicates spell it: `a.b`, `ANY list.b`, `list.@count`, `list.@avg.price`, with `%@` and
  /// `%K` for what stands in brackets, which is appended to `arguments`.
  func text(_ arguments: inout [Any]) -> String {
    guard let function, let length = collectionLength else {
      let path = spelled(names.indices, &arguments)
      let end = function.map { ".@\($0.rawValue)" } ?? ""
      return (collectionLength == nil ? "" : "ANY ") + path + end
    }
    let start = spelled(0..<length, &arguments)
    let rest = names[length...].map { "." + $0 }.joined()
    return start + ".@" + function.rawValue + rest
  }

  /// The collection that `length` names lead to, as a subquery names it.
  func collectionText(_ length: Int) -> String {
    var arguments: [Any] = []
    return spelled(0..<length, &arguments)
  }

  /// The path from an element of the collection that the names of `collection` lead to, which a
  /// subquery calls `variable`; the path itself if it begins elsewhere.
  func inside(_ collection: ArraySlice<String>, called variable: String) -> QueryPath {
    let length = collection.count
    guard names.starts(with: collection) else { return self }
    var path = QueryPath(names: [variable] + names[length...], function: function)
    path.collectionLength = secondLength.map { $0 - length + 1 }
    for (index, part) in parts where index >= length { path.parts[index - length + 1] = part }
    path.maps = Set(maps.filter { $0 >= length }.map { $0 - length + 1 })
    return path
  }

  /// The path without `ANY`, as operators on the whole collection use it.
  func plainText(_ arguments: inout [Any]) -> String { spelled(names.indices, &arguments) }

  private func spelled(_ range: Range<Int>, _ arguments: inout [Any]) -> String {
    var text = ""
    for index in range {
      text += (text.isEmpty ? "" : ".") + names[index]
      if maps.contains(index) { text += ".@allValues" }
      for part in parts[index] ?? [] {
        switch part {
        case .value(let key):
          arguments.append(key)
          text += "[%@]"
        case .index(let position):
          arguments.append(position)
          text += "[%@]"
        case .any:
          arguments.append("#any")
          text += "[%K]"
        case .first: text += "[FIRST]"
        case .last: text += "[LAST]"
        case .keys: text += ".@allKeys"
        case .type: text += ".@type"
        case .values: text += ".@allValues"
        }
      }
    }
    return text
  }
}
