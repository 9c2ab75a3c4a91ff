// SPDX-License-Identifier: Apache-2.0

// One key path of a query string, checked step by step.

import RealmQuery
import RealmSession

/// A key path, followed one component after the other.
struct QueryPathWalk {
  /// Nil where the string is read without a realm.
  private let core: RealmCore?
  /// Whether the path begins at the elements of a collection of values.
  private let isAboutValues: Bool
  /// The class of the objects that the next name is a property of; nil behind a value.
  var schema: ModelSchema?
  let text: String
  var path = QueryPath(names: [], base: 0)
  var type: PropertyType?
  /// What the present value is: the property's collection, until something is taken out of it.
  private var collection = _PropertyShape.Collection.none
  /// The last property, for the message if it leads no further.
  private var last: (owner: String, name: String)?

  init(core: RealmCore?, schema: ModelSchema?, isAboutValues: Bool, text: String) {
    self.core = core
    self.isAboutValues = isAboutValues
    self.schema = schema
    self.text = text
  }

  /// Goes on with a property.
  mutating func take(name: String) throws {
    guard path.function != .count else {
      throw QueryMistake("Invalid keypath '\(text)': @count must be the end of the key path.")
    }
    guard let schema else {
      let last = last.map { "\($0.owner).\($0.name)" } ?? name
      throw QueryMistake(
        "Invalid keypath '\(text)': Property '\(last)' is not a link or collection and can only "
          + "appear at the end of a keypath."
          + (collection == .map || type == .any ? " A key stands in brackets: ['\(name)']." : ""))
    }
    guard let property = schema.property(named: name) else {
      throw QueryMistake(
        "Invalid keypath '\(text)': Property '\(name)' not found in object of type "
          + "'\(schema.className)'")
    }
    path.names.append(name)
    if property.shape.collection != .none || property.shape.type == .linkingObjects {
      path.hasSeveralCollections = path.collectionLength != nil
      path.collectionLength = path.collectionLength ?? path.names.count
    }
    type = property.shape.type
    collection = property.shape.collection
    last = (schema.className, name)
    self.schema = property.linkedSchema
  }

  /// The class of that name: one of the realm or, without one, of the program.
  private func schema(of name: String) -> ModelSchema? {
    guard let core else { return ModelClasses.named(name).map { ModelSchema.of($0) } }
    return core.schema(named: name)
  }

  /// Goes on with the objects that link here.
  mutating func takeLinks(_ origin: String, _ property: String) throws {
    guard schema != nil, let target = schema(of: origin) else {
      throw QueryMistake("Invalid keypath '\(text)': there is no class '\(origin)'")
    }
    guard let link = target.property(named: property) else {
      throw QueryMistake(
        "Invalid keypath '\(text)': Property '\(property)' not found in object of type "
          + "'\(origin)'")
    }
    guard let linked = link.linkedSchema, link.shape.type == .object,
      linked.className == schema?.className
    else {
      throw QueryMistake(
        "Invalid keypath '\(text)': Property '\(origin).\(property)' does not link to objects of "
          + "type '\(schema?.className ?? "")'")
    }
    path.names.append("@links.\(origin).\(link.columnName)")
    if path.collectionLength == nil { path.collectionLength = path.names.count }
    type = .linkingObjects
    last = (origin, property)
    schema = target
  }

  /// Goes on with what stands in brackets.
  mutating func take(_ part: QueryPath.Part) throws {
    if part == .type, isAboutValues, path.names.isEmpty, path.parts.isEmpty {
      path = path.taking(.type)
      type = .string
      return
    }
    guard !path.names.isEmpty, path.function == nil else {
      let place = part == .type ? "@type" : "brackets"
      throw QueryMistake("Invalid keypath '\(text)': \(place) must stand behind a property.")
    }
    switch (collection, part) {
    case (.map, .value), (.map, .keys), (.map, .values), (.map, .any),
      (.list, .index), (.list, .first), (.list, .last), (.list, .any), (.set, .index),
      (.set, .first), (.set, .last), (.set, .any):
      break
    case (.none, _) where type == .any: break
    case (.map, .type), (.list, .type), (.set, .type): path = path.taking(.any)
    case (_, .value), (_, .keys), (_, .values):
      throw QueryMistake("Invalid keypath '\(text)': only maps have keys.")
    default: throw QueryMistake("Invalid keypath '\(text)': only lists have indexes.")
    }
    path = path.taking(part)
    collection = .none
    if part == .keys || part == .type {
      type = .string
      schema = nil
    }
  }

  /// Goes on with what is computed from a collection, or with the keys or values of a map.
  mutating func takeFunction(_ name: String) throws {
    let function: CollectionFunction
    switch name.lowercased() {
    case "links.count":
      // The links of all classes, which can only be counted.
      path.names.append("@links")
      if path.collectionLength == nil { path.collectionLength = path.names.count }
      schema = nil
      function = .count
    case "count", "size": function = .count
    case "min": function = .min
    case "max": function = .max
    case "sum": function = .sum
    case "avg", "average": function = .average
    case "allkeys", "keys": return try take(.keys)
    case "allvalues", "values": return try take(.values)
    case "type": return try take(.type)
    default:
      throw QueryMistake("Invalid keypath '\(text)': the operator '@\(name)' is not supported.")
    }
    guard path.collectionLength != nil || (type == .any && collection == .none) else {
      if let last, type != .object {
        throw QueryMistake(
          "Invalid keypath '\(text)': Property '\(last.owner).\(last.name)' is not a link or "
            + "collection and can only appear at the end of a keypath.")
      }
      throw QueryMistake(
        "Aggregate operations can only be used on key paths that include an collection property")
    }
    guard path.function == nil else {
      throw QueryMistake("Invalid keypath '\(text)': a key path can have one operator only.")
    }
    path.function = function
  }
}
