// SPDX-License-Identifier: Apache-2.0

// The other objects that a query reads, and the objects of the query that their changes concern.

import RealmStorage
import RealmTables

/// The tables whose objects decide, by links, whether and where an object is in a result, and the
/// links that lead there.
struct Dependencies {
  /// A link on a path of the query.
  private struct Hop {
    let origin: TableKey
    let column: Column
  }

  /// The links from the query's objects to those of one other table.
  private struct Chain {
    let hops: [Hop]
    let target: TableKey
  }

  /// The columns of the query's own table that it reads.
  private(set) var columns: Set<ColumnKey> = []
  private var chains: [Chain] = []
  /// Tables that paths reach by anything but links that can be followed back.
  private var unfollowed: Set<TableKey> = []
  private let source: any TableReader

  init(_ query: TableQuery, in table: Table, of source: any TableReader) throws(QueryError) {
    self.source = source
    if let predicate = query.condition { try add(predicate, table, []) }
    if let order = query.order { try add(order, table) }
    for step in query.steps {
      switch step {
      case .filter(let predicate): try add(predicate, table, [])
      case .sort(let order), .distinct(let order): try add(order, table)
      case .limit, .offset: break
      }
    }
  }

  private mutating func add(_ order: SortOrder, _ table: Table) throws(QueryError) {
    for criterion in order.criteria { _ = try add(criterion.path, table, []) }
  }

  /// The tables that links lead to.
  var tables: Set<TableKey> { unfollowed.union(chains.map(\.target)) }

  /// The objects of the query's table that may match or sort otherwise because of what they link
  /// to; nil if they are not known, or are more than `limit`.
  func touched(by changes: VersionChanges, limit: Int) throws(QueryError) -> Set<ObjectKey>? {
    if unfollowed.contains(where: { changes[$0] != nil }) { return nil }
    var touched: Set<ObjectKey> = []
    for chain in chains {
      guard let changes = changes[chain.target] else { continue }
      // The log has the links that a deletion cut; it cannot explain a key that is used again.
      guard changes.deleted.isEmpty, changes.modifications.count <= limit else { return nil }
      var objects = Set(changes.modifications.keys)
      for hop in chain.hops.reversed() {
        guard let origins = try origins(of: objects, by: hop, limit: limit) else { return nil }
        objects = origins
      }
      touched.formUnion(objects)
    }
    return touched.count > limit ? nil : touched
  }

  /// The objects that link to one of `objects`; an object that did so before and no longer does
  /// was changed itself. Nil if they are more than `limit`.
  private func origins(
    of objects: Set<ObjectKey>, by hop: Hop, limit: Int
  ) throws(QueryError) -> Set<ObjectKey>? {
    guard let key = hop.column.targetTable, let table = try source.table(key),
      let backlinks = table.schema.backlinkColumn(from: hop.origin, hop.column.key)
    else { return nil }
    var origins: Set<ObjectKey> = []
    for object in objects {
      guard let row = try QueryError.storing(table.row(of: object)) else { continue }
      origins.formUnion(try QueryError.storing(row.backlinks(of: backlinks)))
      if origins.count > limit { return nil }
    }
    return origins
  }

  // MARK: - Finding them

  /// The start of a condition: the table of the objects that it is about, and the links to them.
  private typealias Start = (table: Table, hops: [Hop]?)

  /// - Parameter around: The same of the objects around, for conditions on elements.
  private mutating func add(
    _ predicate: BoundPredicate, _ table: Table, _ hops: [Hop]?, _ outerScopes: [Start] = []
  ) throws(QueryError) {
    switch predicate {
    case .constant: break
    case .all(let parts), .any(let parts):
      for part in parts { try add(part, table, hops, outerScopes) }
    case .not(let part): try add(part, table, hops, outerScopes)
    case .comparison(let comparison):
      try add(comparison.left, table, hops, outerScopes)
      try add(comparison.right, table, hops, outerScopes)
    case .within(let path, _):
      let (_, target) = try PathResolver(path: path, source: source).objects(from: table)
      note(target.key, try add(path, table, hops))
    }
  }

  private mutating func add(
    _ operand: BoundOperand, _ table: Table, _ hops: [Hop]?, _ outerScopes: [Start]
  ) throws(QueryError) {
    switch operand {
    case .value, .values: break
    case .property(let path): _ = try add(path, table, hops)
    case .outer(let level, let path):
      guard level <= outerScopes.count else { break }
      let start = outerScopes[outerScopes.count - level]
      _ = try add(path, start.table, start.hops)
    case .arithmetic(_, let left, let right):
      try add(left, table, hops, outerScopes)
      try add(right, table, hops, outerScopes)
    case .matchCount(let path, let predicate, let level):
      guard level <= outerScopes.count else { break }
      let start = level == 0 ? (table, hops) : outerScopes[outerScopes.count - level]
      let around = outerScopes + [(table, hops)]
      if try PathResolver(path: path, source: source).values(from: start.0) != nil {
        _ = try add(path, start.0, start.1)
        // Besides the value, a condition reads objects around only.
        return try add(predicate, table, hops, around)
      }
      let (_, target) = try PathResolver(path: path, source: source).objects(from: start.0)
      let inner = try add(path, start.0, start.1)
      note(target.key, inner)
      try add(predicate, target, inner, around)
    }
  }

  /// Notes every table that a link of the path leads to; the last name's own value is in its
  /// table.
  ///
  /// - Returns: The links of the whole path; nil if they cannot be followed back.
  private mutating func add(
    _ path: ColumnPath, _ table: Table, _ hops: [Hop]?
  ) throws(QueryError) -> [Hop]? {
    var hops = hops
    var origin = table
    for (index, name) in path.names.enumerated() {
      let isLast = index == path.names.count - 1
      let column = origin.schema.column(named: name)
      // A path within another table adds a column too many, which does no harm.
      if index == 0, let column { columns.insert(column.key) }
      if let column, column.type == .link, column.collection != .dictionary {
        hops?.append(Hop(origin: origin.key, column: column))
      } else {
        hops = nil
      }
      if name == PathResolver.allLinks {
        unfollowed.formUnion(origin.schema.backlinkColumns.compactMap(\.targetTable))
      }
      // Backlinks change with the objects they come from.
      if isLast, !name.hasPrefix("@links.") { return hops }
      let prefix = ColumnPath(Array(path.names[...index]), parts: path.parts)
      (_, origin) = try PathResolver(path: prefix, source: source).objects(from: table)
      note(origin.key, hops)
    }
    return hops
  }

  private mutating func note(_ target: TableKey, _ hops: [Hop]?) {
    if let hops {
      chains.append(Chain(hops: hops, target: target))
    } else {
      unfollowed.insert(target)
    }
  }
}
