// SPDX-License-Identifier: Apache-2.0

// One key path, followed component by component through the classes that it leads to.

import RealmTables

/// A key path by the names of columns, and what it leads to.
struct BoundPath {
  let written: PropertyPath
  private let schema: any QuerySchema
  /// Whether the path begins at the elements of a collection of values.
  private let isAboutValues: Bool
  private var names: [String] = []
  private var parts: [Int: [CollectionPart]] = [:]
  private(set) var function: CollectionFunction?
  /// The number of names that lead to the first collection; nil if there is none.
  private(set) var collectionLength: Int?
  /// Whether there are more collections after the first.
  private(set) var hasSeveralCollections = false
  /// The type of the values at the end; nil for the object itself.
  private(set) var type: ColumnType?
  /// The class of the objects at the end; nil for values.
  private(set) var target: (any QueryClass)?
  /// The kind of the present value: that of the property, until a part is taken from it.
  private var collection = CollectionKind.none
  /// The last property, for the message if it leads no further.
  private var last: (owner: String, name: String)?

  /// - Parameter owner: The class of the objects that the path begins at; nil for values.
  /// - Throws: `QueryError.invalid` for a component that does not fit the class before it.
  init(
    _ path: PropertyPath, from owner: (any QueryClass)?, isAboutValues: Bool,
    in schema: any QuerySchema
  ) throws(QueryError) {
    written = path
    self.schema = schema
    self.isAboutValues = isAboutValues
    target = owner
    for (index, component) in path.components.enumerated() {
      switch component {
      case .property(let name, _): try take(name: name)
      case .links(let origin, let property): try takeLinks(origin, property)
      case .function(let name): try takeFunction(name)
      case .part(.values) where path.components[(index + 1)...].first?.isProperty ?? false: break
      case .part(let part), .argumentPart(let part): try take(part)
      case .unknownPart: throw invalid("an index or a key must be in brackets.")
      }
    }
  }

  /// The path for the engine.
  var columns: ColumnPath {
    var path = ColumnPath(names, function: function, parts: parts)
    path.collectionLength = collectionLength
    return path
  }

  /// The path as a side of a comparison.
  var operand: BoundOperand {
    written.level == 0 ? .property(columns) : .outer(written.level, columns)
  }

  /// The columns that lead to the first collection, and those from an element on.
  var columnsAtCollection: (collection: ColumnPath, element: ColumnPath)? {
    guard let length = collectionLength else { return nil }
    let parts = parts.filter { $0.key < length }
    return (ColumnPath(Array(names[..<length]), parts: parts), columns.droppingFirst(length))
  }

  /// The type of what the path is compared as.
  var comparedType: ColumnType? {
    switch function {
    case .count: .int
    // Floats are added as Doubles.
    case .sum, .average: type == .float ? .double : type
    case .min, .max, nil: type
    }
  }

  /// Whether the path is that of the object, or of the value, itself.
  var isItself: Bool { names.isEmpty && parts.isEmpty }

  /// Whether the path leads through properties alone.
  var hasNoParts: Bool { parts.isEmpty }

  /// Whether the path leads into a value, where there may be no such place.
  var leadsIntoValues: Bool { parts.values.contains { $0 != [.type] } }

  /// The part that the path takes from the value at its end.
  var lastPart: CollectionPart? { parts[names.count - 1]?.last }

  /// Whether the path leads to any number of values.
  var isMany: Bool { collectionLength != nil && function == nil }

  /// Whether the path leads to one value, whatever the object.
  var isSingle: Bool {
    collectionLength == nil && !parts.values.joined().contains(where: \.isMany)
  }

  /// Whether the path leads to one value of any type, which may be a list.
  var mayBeList: Bool { isSingle && comparedType == .mixed }

  /// Whether the path leads through the links of other classes.
  var leadsThroughLinks: Bool {
    written.components.contains { if case .links = $0 { true } else { false } }
  }

  private func invalid(_ reason: String) -> QueryError {
    .invalid("Invalid keypath '\(written.text)': \(reason)", at: .keyPath(written.text))
  }

  private var needsCollection: QueryError {
    .invalid(
      "Aggregate operations can only be used on key paths that include an collection property",
      at: .keyPath(written.text))
  }

  private mutating func noteCollection() {
    hasSeveralCollections = collectionLength != nil
    collectionLength = collectionLength ?? names.count
  }

  // MARK: - Components

  /// Goes on with a property.
  private mutating func take(name: String) throws(QueryError) {
    guard function != .count else { throw invalid("@count must be the end of the key path.") }
    guard let owner = target else {
      // In values of any type, a dot does what brackets do.
      if type == .mixed, collection == .none, function == nil, !names.isEmpty {
        return try take(.value(of: name))
      }
      let last = last.map { "\($0.owner).\($0.name)" } ?? name
      throw invalid(
        "Property '\(last)' is not a link or collection and can only appear at the end of a "
          + "keypath."
          + (collection == .dictionary || type == .mixed
            ? " A key stands in brackets: ['\(name)']." : ""))
    }
    guard let property = owner.queryProperty(named: name) else {
      throw invalid(
        "Property '\(name)' not found in object of type '\(owner.className)'"
          + AlikeName.hint(for: name, among: owner.queryPropertyNames))
    }
    names.append(property.columnName)
    if property.isMany { noteCollection() }
    type = property.type
    collection = property.collection
    last = (owner.className, name)
    target = property.target
  }

  /// Goes on with the objects that link here.
  private mutating func takeLinks(_ origin: String, _ name: String) throws(QueryError) {
    guard let owner = target, let other = schema.queryClass(named: origin) else {
      throw invalid("there is no class '\(origin)'")
    }
    guard let link = other.queryProperty(named: name) else {
      throw invalid(
        "Property '\(name)' not found in object of type '\(origin)'"
          + AlikeName.hint(for: name, among: other.queryPropertyNames))
    }
    guard link.type == .link, link.target?.className == owner.className else {
      throw invalid(
        "Property '\(origin).\(name)' does not link to objects of type '\(owner.className)'")
    }
    names.append("@links.\(origin).\(link.columnName)")
    collectionLength = collectionLength ?? names.count
    type = .backlink
    last = (origin, name)
    target = other
  }

  /// Goes on with a part of a collection or of a value.
  private mutating func take(_ part: CollectionPart) throws(QueryError) {
    if part == .type, isAboutValues, names.isEmpty, parts.isEmpty {
      parts[-1] = [.type]
      type = .string
      return
    }
    guard !names.isEmpty, function == nil else {
      throw invalid("\(part == .type ? "@type" : "brackets") must stand behind a property.")
    }
    switch (collection, part) {
    case (.dictionary, .value), (.dictionary, .keys), (.dictionary, .values), (.dictionary, .every),
      (.list, .index), (.list, .first), (.list, .last), (.list, .every), (.set, .index),
      (.set, .first), (.set, .last), (.set, .every):
      break
    case (.none, _) where type == .mixed: break
    case (.dictionary, .type), (.list, .type), (.set, .type): append(.every)
    case (_, .value), (_, .keys), (_, .values): throw invalid("only maps have keys.")
    default: throw invalid("only lists have indexes.")
    }
    append(part)
    collection = .none
    if part == .keys || part == .type {
      type = .string
      target = nil
    }
  }

  private mutating func append(_ part: CollectionPart) {
    parts[names.count - 1, default: []].append(part == .values ? .every : part)
    // One value, unless the path leads through another collection.
    if part.isOne, collectionLength == names.count { collectionLength = nil }
  }

  /// Goes on with what is computed from a collection, or with the keys or values of a map.
  private mutating func takeFunction(_ name: String) throws(QueryError) {
    let function: CollectionFunction
    switch name.lowercased() {
    case "links.count":
      // The links of all classes, which can only be counted.
      names.append("@links")
      collectionLength = collectionLength ?? names.count
      target = nil
      function = .count
    case "count", "size": function = .count
    case "min": function = .min
    case "max": function = .max
    case "sum": function = .sum
    case "avg", "average": function = .average
    case "allkeys", "keys": return try take(.keys)
    case "allvalues", "values": return try take(.values)
    case "type": return try take(.type)
    default: throw invalid("the operator '@\(name)' is not supported.")
    }
    guard collectionLength != nil || (type == .mixed && collection == .none) else {
      guard let last, type != .link else { throw needsCollection }
      throw invalid(
        "Property '\(last.owner).\(last.name)' is not a link or collection and can only appear at "
          + "the end of a keypath.")
    }
    guard self.function == nil else { throw invalid("a key path can have one operator only.") }
    self.function = function
  }
}

extension PropertyPath.Component {
  fileprivate var isProperty: Bool { if case .property = self { true } else { false } }
}
