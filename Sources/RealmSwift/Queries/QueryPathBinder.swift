// SPDX-License-Identifier: Apache-2.0

// Key paths of query strings, checked against the properties of classes.

import RealmQuery
import RealmSession

/// Follows the key paths of one query string.
struct QueryPathBinder {
  /// The realm, whose classes are the only ones that a query can name; nil where there is none yet.
  private let core: RealmCore?
  /// Nil for a collection of values.
  private let schema: ModelSchema?
  private let arguments: [Any]
  /// Those of the subqueries around, and of the query, the outermost first.
  private var around: [QueryPathBinder] = []

  init(_ core: RealmCore?, _ schema: ModelSchema?, _ arguments: [Any]) {
    self.core = core
    self.schema = schema
    self.arguments = arguments
  }

  /// The path, checked.
  func path(_ parsed: ParsedKeyPath) throws -> QueryPath { try resolve(parsed).path }

  /// The same for key paths that begin at another class, or at values.
  func from(_ schema: ModelSchema?) -> QueryPathBinder {
    var binder = QueryPathBinder(core, schema, arguments)
    binder.around = around + [self]
    return binder
  }

  /// The type of the values at the end; nil for the object itself.
  func type(_ parsed: ParsedKeyPath) throws -> PropertyType? {
    let walk = try walk(parsed)
    return walk.path.function == .count ? .int : walk.type
  }

  /// The path, and the class of the objects that it leads to, if it does.
  func resolve(
    _ parsed: ParsedKeyPath
  ) throws -> (path: QueryPath, target: ModelSchema?) {
    let walk = try walk(parsed)
    return (walk.path, walk.schema)
  }

  private func walk(_ parsed: ParsedKeyPath) throws -> QueryPathWalk {
    if parsed.level > 0, parsed.level <= around.count {
      var own = parsed
      own.level = 0
      var walk = try around[around.count - parsed.level].walk(own)
      walk.path.base = -parsed.level
      return walk
    }
    let components = try components(parsed)
    var walk = QueryPathWalk(
      core: core, schema: schema, isAboutValues: schema == nil && around.isEmpty,
      text: text(components))
    do {
      for component in components { try take(component, in: &walk) }
    } catch let mistake as QueryMistake { throw QueryMistake(mistake.text, at: walk.text) }
    return walk
  }

  private func take(
    _ component: ParsedKeyPath.Component, in walk: inout QueryPathWalk
  ) throws {
    switch component {
    case .index(let operand): try walk.take(bracket(operand, walk.text))
    case .anyIndex: try walk.take(.any)
    case .firstIndex: try walk.take(.first)
    case .lastIndex: try walk.take(.last)
    case .name(let name): try walk.take(name: name)
    case .links(let origin, let property): try walk.takeLinks(origin, property)
    case .function(let name): try walk.takeFunction(name)
    case .argument: preconditionFailure("arguments are put in before")
    }
  }

  /// What stands in brackets: a position, a key, or an argument that is one of them.
  private func bracket(_ operand: ParsedOperand, _ text: String) throws -> QueryPath.Part {
    let value: Any
    switch operand {
    case .integer(let number): value = Int(number)
    case .string(let key): value = key
    case .argument(let number) where number < arguments.count: value = arguments[number]
    default:
      throw QueryMistake("Invalid keypath '\(text)': an index or a key must be in brackets.")
    }
    switch value {
    case "#any" as String: return .any
    case let key as String: return .value(of: key)
    case let index as Int where index >= 0: return .index(index)
    default:
      throw QueryMistake("Invalid keypath '\(text)': an index or a key must be in brackets.")
    }
  }

  /// The components with the arguments in their places.
  private func components(
    _ parsed: ParsedKeyPath
  ) throws -> [ParsedKeyPath.Component] {
    try parsed.components.flatMap { component throws -> [ParsedKeyPath.Component] in
      guard case .argument(let number) = component else { return [component] }
      guard number < arguments.count else {
        throw QueryBinder.missing(number, of: arguments)
      }
      guard let path = swiftValue(arguments[number]) as? String else {
        throw QueryMistake("Invalid predicate: the argument for %K must be the name of a property")
      }
      // Names with brackets behind them, and `self`, as strings write them.
      if path.contains("[") || path.lowercased().hasPrefix("self"),
        let parsed = try? QueryParser.parse(keyPath: path)
      {
        return parsed.components
      }
      return path.split(separator: ".", omittingEmptySubsequences: false).map { part in
        part.hasPrefix("@") ? .function(String(part.dropFirst())) : .name(String(part))
      }
    }
  }

  private func text(_ components: [ParsedKeyPath.Component]) -> String {
    var text = ""
    for component in components {
      switch component {
      case .name(let name): text += "." + name
      case .links(let origin, let property): text += ".@links.\(origin).\(property)"
      case .function(let name): text += ".@" + name
      case .index(.integer(let index)): text += "[\(index)]"
      case .index(.string(let key)): text += "['\(key)']"
      case .argument, .index: text += "[%@]"
      case .anyIndex: text += "[*]"
      case .firstIndex: text += "[FIRST]"
      case .lastIndex: text += "[LAST]"
      }
    }
    return String(text.drop { $0 == "." })
  }
}
