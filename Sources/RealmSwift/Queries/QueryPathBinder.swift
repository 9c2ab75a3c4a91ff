// SPDX-License-Identifier: Apache-2.0

// Key paths of query strings, checked against the properties of classes.

import RealmQuery

/// Follows the key paths of one query string.
struct QueryPathBinder {
  /// The realm, whose classes are the only ones that a query can name.
  private let core: RealmCore
  private let schema: ModelSchema
  private let arguments: [Any]

  init(_ core: RealmCore, _ schema: ModelSchema, _ arguments: [Any]) {
    self.core = core
    self.schema = schema
    self.arguments = arguments
  }

  /// The path, checked.
  func path(_ parsed: ParsedKeyPath) -> QueryPath { resolve(parsed).path }

  /// The same for key paths that begin at another class.
  func from(_ schema: ModelSchema) -> QueryPathBinder { QueryPathBinder(core, schema, arguments) }

  /// The type of the values at the end; nil for the object itself.
  func type(_ parsed: ParsedKeyPath) -> PropertyType? {
    let walk = walk(parsed)
    return walk.path.function == .count ? .int : walk.type
  }

  /// The path, and the class of the objects that it leads to, if it does.
  func resolve(_ parsed: ParsedKeyPath) -> (path: QueryPath, target: ModelSchema?) {
    let walk = walk(parsed)
    return (walk.path, walk.schema)
  }

  private func walk(_ parsed: ParsedKeyPath) -> Walk {
    let components = components(parsed)
    var walk = Walk(core: core, schema: schema, text: text(components))
    for component in components { walk.take(component) }
    return walk
  }

  /// The components with the arguments in their places.
  private func components(_ parsed: ParsedKeyPath) -> [ParsedKeyPath.Component] {
    parsed.components.flatMap { component -> [ParsedKeyPath.Component] in
      guard case .argument(let number) = component else { return [component] }
      guard number < arguments.count, let path = arguments[number] as? String else {
        throwRealmException("Invalid predicate: the argument for %K must be the name of a property")
      }
      return path.split(separator: ".", omittingEmptySubsequences: false).map { part in
        part.hasPrefix("@") ? .function(String(part.dropFirst())) : .name(String(part))
      }
    }
  }

  private func text(_ components: [ParsedKeyPath.Component]) -> String {
    components.map { component in
      switch component {
      case .name(let name): name
      case .links(let origin, let property): "@links.\(origin).\(property)"
      case .function(let name): "@\(name)"
      case .argument, .index, .anyIndex, .firstIndex, .lastIndex: "[]"
      }
    }.joined(separator: ".")
  }

  private struct Walk {
    private let core: RealmCore
    /// The class of the objects that the next name is a property of; nil behind a value.
    var schema: ModelSchema?
    let text: String
    var path = QueryPath(names: [])
    var type: PropertyType?
    /// The last property, for the message if it leads no further.
    private var last: (owner: String, name: String)?

    init(core: RealmCore, schema: ModelSchema, text: String) {
      self.core = core
      self.schema = schema
      self.text = text
    }

    mutating func take(_ component: ParsedKeyPath.Component) {
      switch component {
      case .name(let name): take(name)
      case .links(let origin, let property): takeLinks(origin, property)
      case .function(let name): takeFunction(name)
      case .argument: preconditionFailure("arguments are put in before")
      case .index, .anyIndex, .firstIndex, .lastIndex:
        throwRealmException("Invalid keypath '\(text)': subscripts are not supported.")
      }
    }

    private mutating func take(_ name: String) {
      guard path.function != .count else {
        throwRealmException("Invalid keypath '\(text)': @count must be the end of the key path.")
      }
      guard let schema else {
        let last = last.map { "\($0.owner).\($0.name)" } ?? name
        throwRealmException(
          "Invalid keypath '\(text)': Property '\(last)' is not a link or collection and can only "
            + "appear at the end of a keypath.")
      }
      guard let property = schema.property(named: name) else {
        throwRealmException(
          "Invalid keypath '\(text)': Property '\(name)' not found in object of type "
            + "'\(schema.className)'")
      }
      path.names.append(name)
      if property.shape.collection != .none || property.shape.type == .linkingObjects,
        path.collectionLength == nil
      {
        path.collectionLength = path.names.count
      }
      type = property.shape.type
      last = (schema.className, name)
      self.schema = property.linkedSchema
    }

    private mutating func takeLinks(_ origin: String, _ property: String) {
      guard schema != nil, let target = core.schema(named: origin) else {
        throwRealmException("Invalid keypath '\(text)': there is no class '\(origin)'")
      }
      guard let link = target.property(named: property), link.shape.linkedClass != nil else {
        throwRealmException(
          "Invalid keypath '\(text)': Property '\(property)' not found in object of type "
            + "'\(origin)'")
      }
      path.names.append("@links.\(origin).\(link.columnName)")
      if path.collectionLength == nil { path.collectionLength = path.names.count }
      type = .linkingObjects
      last = (origin, property)
      schema = target
    }

    private mutating func takeFunction(_ name: String) {
      let function: CollectionFunction
      switch name.lowercased() {
      case "count", "size": function = .count
      case "min": function = .min
      case "max": function = .max
      case "sum": function = .sum
      case "avg", "average": function = .average
      default:
        throwRealmException("Invalid keypath '\(text)': the operator '@\(name)' is not supported.")
      }
      guard path.collectionLength != nil else {
        throwRealmException(
          "Aggregate operations can only be used on key paths that include an collection property")
      }
      guard path.function == nil else {
        throwRealmException("Invalid keypath '\(text)': a key path can have one operator only.")
      }
      path.function = function
    }
  }
}
