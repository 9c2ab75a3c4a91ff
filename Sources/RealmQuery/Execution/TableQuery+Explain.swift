// SPDX-License-Identifier: Apache-2.0

// How a query finds its elements, for `explain()`.

import RealmStorage
package import RealmTables

extension TableQuery {
  /// The steps that find the objects, a line for each.
  package func explanation(
    in table: Table, of source: any TableReader
  ) throws(QueryError) -> [String] {
    let limit = self.steps.neededCount
    let isPicked = try order?.pickedColumn(limit, of: table, in: source) != nil
    let isWhole = order == nil ? limit == .max : !isPicked
    let selection = try Selection(condition ?? .constant(true), in: table, of: source)
    var lines = try QueryError.storing(selection.explanation(isWhole: isWhole))
    var steps = self.steps[...]
    if let order {
      lines.append(
        isPicked
          ? "pick: the first \(limit) by \(order.text)"
          : try order.explanation(of: table, in: source, limit: limit))
    } else if limit < .max {
      lines.append("stop: after \(limit) objects")
    } else if case .distinct(let paths) = self.steps.first,
      try paths.distinctColumn(of: table, in: source) != nil
    {
      lines.append("distinct: \(paths.namesText), while looking")
      steps = steps.dropFirst()
    }
    for step in steps { lines.append(try step.explanation(of: table, in: source)) }
    return lines
  }

  /// The steps that the objects of a collection go through, a line for each; each object is read
  /// by itself.
  package func explanation(
    ofCollection count: Int, in table: Table, of source: any TableReader
  ) throws(QueryError) -> [String] {
    var lines = ["elements: \(count) of a collection, each by itself"]
    for step in allSteps { lines.append(try step.explanation(of: table, in: source)) }
    return lines
  }

  /// How the values of a collection are found, a line for each step.
  package func explanation(ofValues count: Int) -> [String] {
    ["elements: \(count) of a collection, each by itself"]
      + allSteps.map(\.text)
  }
}

extension QueryStep {
  /// The step on objects that are known already.
  fileprivate func explanation(
    of table: Table, in source: any TableReader
  ) throws(QueryError) -> String {
    guard case .filter(let condition) = self else { return text }
    return "test: \(try Selection(condition, in: table, of: source, isScan: false).testText)"
  }

  /// The step as `explain()` shows it.
  fileprivate var text: String {
    switch self {
    case .filter(let condition): "test: \(condition.text)"
    case .sort(let order): "sort: \(order.text), by comparing"
    case .distinct(let paths): "distinct: \(paths.namesText)"
    case .limit(let count): "limit: \(count)"
    case .offset(let count): "offset: \(count)"
    }
  }
}

extension SortOrder {
  /// How the matches of a table are sorted.
  fileprivate func explanation(
    of table: Table, in source: any TableReader, limit: Int
  ) throws(QueryError) -> String {
    let paths = try paths(from: table, in: source)
    let isRadix = paths.count == 1 && TableSort.column(of: paths[0]) != nil
    return "sort: \(text), by \(isRadix ? "radix" : "comparing")"
      + (limit < .max ? ", the first \(limit)" : "")
  }
}
