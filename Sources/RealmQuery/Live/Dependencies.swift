// SPDX-License-Identifier: Apache-2.0

// Which other tables a query looks into.

import RealmStorage
import RealmTables

/// The tables whose objects decide, by links, whether and where an object is in a result.
struct Dependencies {
  private(set) var tables: Set<TableKey> = []
  private let source: any TableSource

  init(_ query: LiveQuery, in table: Table, of source: any TableSource) throws(QueryError) {
    self.source = source
    if let predicate = query.predicate { try add(predicate, table) }
    for criterion in query.order?.criteria ?? [] { try add(criterion.names, table) }
  }

  private mutating func add(_ predicate: Predicate, _ table: Table) throws(QueryError) {
    switch predicate {
    case .constant: break
    case .all(let parts), .any(let parts): for part in parts { try add(part, table) }
    case .not(let part): try add(part, table)
    case .comparison(let comparison):
      try add(comparison.left, table)
      try add(comparison.right, table)
    }
  }

  private mutating func add(_ operand: Operand, _ table: Table) throws(QueryError) {
    switch operand {
    case .value, .values: break
    case .property(let path): try add(path.names, table)
    case .matchCount(let path, let predicate):
      let (_, target) = try PathResolver(path: path, source: source).objects(from: table)
      tables.insert(target.key)
      try add(path.names, table)
      try add(predicate, target)
    }
  }

  /// Every table behind a link that the path follows; the last name's own value is in its table.
  private mutating func add(_ names: [String], _ table: Table) throws(QueryError) {
    for count in stride(from: 1, through: names.count, by: 1) {
      let prefix = PropertyPath(Array(names[..<count]))
      let isLast = count == names.count
      if isLast, !names[count - 1].hasPrefix("@links.") { return }
      // Backlinks change with the objects they come from.
      let (_, target) = try PathResolver(path: prefix, source: source).objects(from: table)
      tables.insert(target.key)
    }
  }
}
