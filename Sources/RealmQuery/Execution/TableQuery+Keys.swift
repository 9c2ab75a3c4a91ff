// SPDX-License-Identifier: Apache-2.0

// Running a query once, over a table or over the elements of a collection.

import RealmStorage
package import RealmTables

extension TableQuery {
  /// Checks that the query fits the schema.
  ///
  /// - Parameter table: The table of the query in a version; nil for a collection of values.
  /// - Throws: `QueryError.invalid` with what does not fit.
  package func check(against table: Table?, of source: any TableReader) throws(QueryError) {
    for step in allSteps {
      switch step {
      case .filter(let condition):
        if let table {
          _ = try Selection(condition, in: table, of: source, isScan: false)
        } else {
          _ = try ValueFilter(condition, of: valueType)
        }
      case .sort(let order), .distinct(let order):
        if let table { _ = try order.paths(from: table, in: source) }
      case .limit, .offset: break
      }
    }
  }

  // MARK: - Tables

  /// The objects that match the condition alone.
  func selection(
    in table: Table, of source: any TableReader
  ) throws(QueryError) -> Selection {
    try Selection(condition ?? .constant(true), in: table, of: source)
  }

  /// All matching keys in the order of the query.
  package func keys(of table: Table, in source: any TableReader) throws(QueryError) -> [ObjectKey] {
    if isInSourceOrder, let equality = try QueryError.storing(IndexedEquality(condition, in: table))
    {
      return try QueryError.storing(equality.keys(limit: .max))
    }
    if order == nil, case .distinct(let paths) = steps.first {
      let selection = try selection(in: table, of: source)
      if let firsts = try paths.distinct(selection, in: source) {
        return try Array(steps.dropFirst()).applied(to: firsts, of: table, in: source)
      }
    }
    let base = try baseKeys(of: table, in: source, limit: steps.neededCount)
    return try steps.applied(to: base, of: table, in: source)
  }

  /// The keys before the last steps; those after the first `limit` may be missing.
  func baseKeys(
    of table: Table, in source: any TableReader, limit: Int = .max
  ) throws(QueryError) -> [ObjectKey] {
    let selection = try selection(in: table, of: source)
    if let order {
      if let first = try order.first(limit, of: selection, in: source) { return first }
      if let keys = try order.sorted(selection, in: source) {
        return limit < keys.count ? Array(keys.prefix(limit)) : keys
      }
    }
    let keys = try QueryError.storing(selection.keys(limit: order == nil ? limit : .max))
    return try order?.sorted(keys, of: table, in: source, limit: limit) ?? keys
  }

  // MARK: - Collections

  /// Those of `keys`, objects of the table, that match, in the order of the query.
  package func keys(
    among keys: [ObjectKey], of table: Table, in source: any TableReader
  ) throws(QueryError) -> [ObjectKey] {
    var keys = keys
    if let condition {
      keys = try QueryStep.filter(condition).applied(to: keys, of: table, in: source)
    }
    if let order {
      keys = try order.sorted(keys, of: table, in: source, limit: steps.neededCount)
    }
    return try steps.applied(to: keys, of: table, in: source)
  }

  /// Those of `values` that match, in the order of the query.
  package func values(among values: [TableValue]) throws(QueryError) -> [TableValue] {
    var values = values
    for step in allSteps { values = try ValueSteps.apply(step, to: values, of: valueType) }
    return values
  }
}

extension QueryStep {
  /// The keys after this step.
  func applied(
    to keys: [ObjectKey], of table: Table, in source: any TableReader
  ) throws(QueryError) -> [ObjectKey] {
    switch self {
    case .filter(let condition):
      let selection = try Selection(condition, in: table, of: source)
      return try QueryError.storing(selection.keys(among: keys))
    case .sort(let order): return try order.sorted(keys, of: table, in: source)
    case .distinct(let paths): return try paths.distinct(keys, of: table, in: source)
    case .limit(let count): return keys.count <= count ? keys : Array(keys.prefix(count))
    case .offset(let count): return Array(keys.dropFirst(count))
    }
  }
}

extension [QueryStep] {
  /// The keys after all steps.
  func applied(
    to keys: [ObjectKey], of table: Table, in source: any TableReader
  ) throws(QueryError) -> [ObjectKey] {
    var keys = keys
    for step in self { keys = try step.applied(to: keys, of: table, in: source) }
    return keys
  }
}
