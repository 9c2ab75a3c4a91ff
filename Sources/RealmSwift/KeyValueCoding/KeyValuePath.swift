// SPDX-License-Identifier: Apache-2.0

// Key paths that are strings: properties joined by dots, with the operators of key-value coding on
// the collections that they lead through.

import Foundation
import RealmSession

/// Reads and writes the values that a key path in a string leads to.
enum KeyValuePath {
  /// The value that `path` leads to from `base`: an object, a collection, or an array of the values
  /// of a collection's elements; nil for null.
  static func value(of base: Any, at path: Substring) -> Any? {
    guard let base = untypedValue(base) else { return nil }
    if path.isEmpty || path == "self" { return base }
    if let object = modelObject(base) {
      let (first, rest) = split(path)
      guard let next = object.value(forKey: String(first)) else { return nil }
      return value(of: next, at: rest)
    }
    if let map = base as? any RealmKeyedCollection { return value(of: map, at: path) }
    if let collection = base as? any RealmCollection {
      return values(of: elements(of: collection), at: path, in: elementClass(of: collection))
    }
    if let array = base as? [Any] { return values(of: array, at: path, in: nil) }
    throwRealmException("Invalid property name '\(path)' for a value of type '\(type(of: base))'.")
  }

  /// Sets the property that `path` leads to from `object`; nothing happens if a link of the path is
  /// nil.
  static func setValue(_ value: Any?, of object: ObjectBase, at path: Substring) {
    guard let dot = path.lastIndex(of: ".") else {
      return object.setValue(value, forKey: String(path))
    }
    let key = String(path[path.index(after: dot)...])
    guard let owner = self.value(of: object, at: path[..<dot]) else { return }
    if let object = modelObject(owner) { return object.setValue(value, forKey: key) }
    if let map = owner as? any AnyMap { return map.setValue(value, forKey: key) }
    guard let collection = owner as? any RealmCollection else {
      throwRealmException("Invalid property name '\(path)' for class '\(type(of: object))'.")
    }
    collection.setValue(value, forKey: key)
  }

  /// The values that `path` leads to from each of `values`, or the result of an operator on them.
  static func values(of values: [Any], at path: Substring, in model: ObjectBase.Type?) -> Any? {
    guard path.first == "@" else {
      return values.map { value(of: $0, at: path) ?? untypedNull }
    }
    let (name, rest) = split(path)
    guard let found = CollectionOperator(rawValue: String(name.dropFirst())) else {
      throwRealmException("Unsupported KVC collection operator found in key path '\(path)'")
    }
    if found == .count { return values.count }
    found.requireSupport(of: rest, in: model)
    return found.result(values.compactMap { value(of: $0, at: rest) }.filter { !isNil($0) })
  }

  private static func value(of map: any RealmKeyedCollection, at path: Substring) -> Any? {
    switch path {
    case "@allKeys": return map.keys.map { $0._text }
    case "@allValues": return anyValues(of: map)
    default: break
    }
    if path.first == "@" { return values(of: anyValues(of: map), at: path, in: nil) }
    let (first, rest) = split(path)
    guard let found = map.untypedValue(forKey: String(first)) else { return nil }
    return rest.isEmpty ? found : value(of: found, at: rest)
  }

  private static func anyValues<M: RealmKeyedCollection>(of map: M) -> [Any] {
    map.values.map { untypedValue($0) ?? untypedNull }
  }

  /// All elements, with `NSNull` for nil.
  static func elements<C: RealmCollection>(of collection: C) -> [Any] {
    if let values = plainElements(of: collection) { return values }
    return collection.map { untypedValue($0) ?? untypedNull }
  }

  /// The elements of a collection of plain values that is typed as one of dynamic objects.
  private static func plainElements<C: RealmCollection>(of collection: C) -> [Any]? {
    guard C.Element.self == DynamicObject.self, collection.realm != nil else { return nil }
    let contents = collection._contents
    guard contents.info == nil else { return nil }
    return (0..<contents.count).map { index in
      untypedValue(contents.element(at: index, as: AnyRealmValue.self)) ?? untypedNull
    }
  }

  private static func elementClass<C: RealmCollection>(of collection: C) -> ObjectBase.Type? {
    C.Element.self as? ObjectBase.Type
  }

  /// The first key of a path, and the rest after its dot.
  private static func split(_ path: Substring) -> (first: Substring, rest: Substring) {
    guard let dot = path.firstIndex(of: ".") else { return (path, "") }
    return (path[..<dot], path[path.index(after: dot)...])
  }
}

extension RealmKeyedCollection {
  /// The value of `key` as untyped access returns it: `NSNull` for null, nil if there is none.
  func untypedValue(forKey key: String) -> Any? {
    self[Key._make(key)].map { RealmSwift.untypedValue($0) ?? untypedNull }
  }
}
