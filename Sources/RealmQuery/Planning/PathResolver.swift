// SPDX-License-Identifier: Apache-2.0

// From the names of a path to the columns of the tables on it.

import RealmStorage
import RealmTables

/// Follows the names of one path.
///
/// The objects that link here are reached by the name `@links.Class.property`, where the property
/// of the class is the one that links.
struct PathResolver {
  /// The name of the links of all classes, which can only be counted.
  static let allLinks = "@links"

  let path: ColumnPath
  let source: any TableReader

  /// A reader for the path from objects of `table`.
  func resolve(from table: Table) throws(QueryError) -> (reader: ValueReader, end: ResolvedEnd) {
    guard let function = path.function else { return try plain(0, table) }
    // The function applies to the first collection on the path.
    var before: [ValueReader.Step] = []
    var table = table
    for (index, name) in path.names.enumerated() {
      let isLast = index == path.names.count - 1
      if isLast, name == PathResolver.allLinks, function == .count {
        let end = ValueReader.End.backlinkCount(table.schema.backlinkColumns)
        return (ValueReader(steps: before, end: end), .integer)
      }
      let column = try column(name, of: table)
      if isMany(column, at: index) || (isLast && column.type == .mixed) {
        var (inner, end) = try plain(index, table)
        if !end.isElement { inner = inner.every }
        try check(function, end)
        let type: ColumnType =
          switch function {
          case .count: .int
          // Floats are added as Doubles.
          case .sum: end.type == .float ? .double : end.type
          case .min, .max: end.type
          case .average: end.type == .decimal || end.type == .mixed ? end.type : .double
          }
        return (
          ValueReader(steps: before, end: .function(function, inner)),
          ResolvedEnd(type: type, target: nil, isElement: false)
        )
      }
      let (step, target) = try self.step(column, at: index, of: table)
      before.append(step)
      table = target
    }
    throw .invalid(
      "Invalid keypath '\(path.text).@\(function.rawValue)': Aggregate operations can only be used "
        + "on key paths that include an collection property")
  }

  private func check(_ function: CollectionFunction, _ end: ResolvedEnd) throws(QueryError) {
    switch (function, end.type) {
    case (.count, _), (_, .int), (_, .float), (_, .double), (_, .decimal), (_, .mixed),
      (.min, .timestamp), (.max, .timestamp):
      return
    case (_, .timestamp): throw .invalid("Cannot sum or average date properties")
    default:
      throw .invalid(
        "Invalid keypath '\(path.fullText)': @\(function.rawValue) can only be applied to a "
          + "numeric property.")
    }
  }

  /// The steps to objects, for a path that ends in a link or a collection of links.
  func objects(from table: Table) throws(QueryError) -> ([ValueReader.Step], Table) {
    var steps: [ValueReader.Step] = []
    var table = table
    for (index, name) in path.names.enumerated() {
      let (step, target) = try self.step(try column(name, of: table), at: index, of: table)
      steps.append(step)
      table = target
    }
    return (steps, table)
  }

  /// A reader of the values that the path leads to, and their type; nil if it leads to objects.
  func values(
    from table: Table
  ) throws(QueryError) -> (reader: ValueReader, type: ColumnType)? {
    let (reader, end) = try resolve(from: table)
    return [.link, .backlink].contains(end.type) ? nil : (reader, end.type)
  }

  /// The path from name `start` on, which is a property of `table`.
  private func plain(
    _ start: Int, _ table: Table
  ) throws(QueryError) -> (reader: ValueReader, end: ResolvedEnd) {
    guard let last = path.names.last else {
      throw .invalid("Invalid predicate: an empty key path")
    }
    var steps: [ValueReader.Step] = []
    var table = table
    var isElement = false
    let lastIndex = path.names.count - 1
    for index in start..<lastIndex {
      let column = try column(path.names[index], of: table)
      isElement = isElement || isMany(column, at: index)
      let (step, target) = try self.step(column, at: index, of: table)
      steps.append(step)
      table = target
    }
    let column = try column(last, of: table)
    if let parts = path.parts[lastIndex] {
      return try resolve(parts, of: column, steps, isElement: isElement)
    }
    isElement = isElement || column.isMany
    let resolved = ResolvedEnd(
      type: column.type, target: column.targetTable, isElement: isElement)
    let end: ValueReader.End =
      if column.collection != .none {
        .elements(column)
      } else if column.type == .link, let target = column.targetTable {
        .link(column, target)
      } else if column.type == .backlink, let origin = column.targetTable {
        .backlinks(column, origin)
      } else {
        .value(column)
      }
    return (ValueReader(steps: steps, end: end), resolved)
  }

  /// A reader of parts of the collection, or of the value of any type, at the end of the path.
  private func resolve(
    _ parts: [CollectionPart], of column: Column, _ steps: [ValueReader.Step], isElement: Bool
  ) throws(QueryError) -> (reader: ValueReader, end: ResolvedEnd) {
    var rest = parts[...]
    let end: ValueReader.End
    var type = column.type
    switch (column.collection, parts[0]) {
    case (.dictionary, .value(let key)) where !column.hasIntegerKeys: end = .entry(column, key)
    case (.dictionary, .keys) where !column.hasIntegerKeys:
      end = .keys(column)
      type = .string
    case (.dictionary, .every), (.list, .every), (.set, .every): end = .elements(column)
    case (.list, .index), (.list, .first), (.list, .last), (.set, .index), (.set, .first),
      (.set, .last):
      end = .element(column, parts[0])
    case (.none, _) where column.type == .mixed:
      end = .nested(.value(column), parts)
      rest = []
    case (.dictionary, _), (.none, .keys), (.none, .value):
      throw .invalid("Invalid keypath '\(path.text)': only maps have keys.")
    default: throw .invalid("Invalid keypath '\(path.text)': only lists have indexes.")
    }
    if column.collection != .none { rest = rest.dropFirst() }
    guard rest.isEmpty || rest == [.type] || column.type == .mixed else {
      throw .invalid(
        "Invalid keypath '\(path.text)': only values of type AnyRealmValue have elements.")
    }
    if parts.last == .type { type = .string }
    return (
      ValueReader(steps: steps, end: rest.isEmpty ? end : .nested(end, Array(rest))),
      ResolvedEnd(
        type: type, target: type == .string ? nil : column.targetTable,
        isElement: isElement || parts.contains(where: \.isMany))
    )
  }

  private func column(_ name: String, of table: Table) throws(QueryError) -> Column {
    if name.hasPrefix("@links."), let column = try backlinkColumn(name, of: table) { return column }
    guard let column = table.schema.column(named: name) else {
      throw .unknownProperty(
        name, in: path, of: table.schema.className ?? table.schema.name,
        among: table.schema.columns.map(\.name))
    }
    return column
  }

  /// The column that keeps the links of `@links.Class.property`.
  private func backlinkColumn(_ name: String, of table: Table) throws(QueryError) -> Column? {
    let parts = name.split(separator: ".", maxSplits: 2)
    guard parts.count == 3 else { return nil }
    for column in table.schema.backlinkColumns {
      guard let key = column.targetTable, let link = column.oppositeColumn,
        let origin = try source.table(key),
        origin.schema.className.map({ $0 == parts[1] }) ?? false,
        let column = origin.schema.column(link).map({ $0.name == parts[2] ? column : nil })
      else { continue }
      if let column { return column }
    }
    return nil
  }

  /// Whether the path goes on, after the column of name `index`, with any number of values.
  private func isMany(_ column: Column, at index: Int) -> Bool {
    column.isMany && path.parts[index]?.contains(where: \.isMany) ?? true
  }

  private func step(
    _ column: Column, at index: Int, of table: Table
  ) throws(QueryError) -> (ValueReader.Step, Table) {
    guard column.type == .link || column.type == .backlink, let key = column.targetTable,
      let target = try source.table(key)
    else {
      throw .notALink(
        column.name, of: table.schema.className ?? table.schema.name, in: path)
    }
    if column.type == .backlink { return (.backlinks(column, target), target) }
    if let parts = path.parts[index], parts != [.every] {
      switch (column.collection, parts[0]) {
      case _ where parts.count > 1: break
      case (.list, .index), (.list, .first), (.list, .last), (.set, .index), (.set, .first),
        (.set, .last):
        return (.element(column, parts[0], target), target)
      case (.dictionary, .value(let key)) where !column.hasIntegerKeys:
        return (.entry(column, key, target), target)
      default: break
      }
      throw .invalid(
        "Invalid keypath '\(path.text)': '\(column.name)' has no such elements.")
    }
    return switch column.collection {
    case .none: (.link(leafIndex: column.leafIndex, target), target)
    case .list, .set: (.links(column, target), target)
    case .dictionary: (.dictionary(column, target), target)
    }
  }
}

extension Column {
  /// Whether a path through the column leads to any number of values.
  var isMany: Bool { collection != .none || type == .backlink }
}
