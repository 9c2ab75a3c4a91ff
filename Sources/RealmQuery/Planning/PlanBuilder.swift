// SPDX-License-Identifier: Apache-2.0

// From a predicate to a plan: names become leaf indexes, operators become ranges.

import RealmStorage
import RealmTables

/// Binds predicates to the tables of one version.
struct PlanBuilder {
  let plan: QueryPlan
  let source: any TableReader
  /// Runs conditions on linked objects over their tables first, which pays where the plan runs over
  /// a whole table; nil where it does not.
  let search: ((BoundPredicate, Table) throws(QueryError) -> LinkedSearch)?
  /// The tables of the objects around, for conditions on the elements of their collections.
  var outerTables: [Table] = []

  /// The node that decides a predicate for objects of `table`.
  func node(_ predicate: BoundPredicate, _ table: Table) throws(QueryError) -> Int {
    switch predicate {
    case .constant(let truth): return plan.add(.constant(truth))
    case .all(let parts):
      if parts.isEmpty { return plan.add(.constant(true)) }
      return plan.addAll(try nodes(parts, table))
    case .any(let parts):
      if parts.isEmpty { return plan.add(.constant(false)) }
      return plan.addAny(try nodes(BoundPredicate.joiningEqualities(of: parts), table))
    case .not(let part): return plan.add(.not(try node(part, table)))
    case .comparison(let comparison):
      let node = try node(comparison, table)
      plan.describe(node, comparison.text)
      return node
    case .within(let path, let region):
      let node = plan.add(.within(try GeoCondition(path, region, in: table, of: source)))
      plan.describe(node, "\(path.text) within a region")
      return node
    }
  }

  private func nodes(_ parts: [BoundPredicate], _ table: Table) throws(QueryError) -> [Int] {
    var nodes: [Int] = []
    for part in parts { nodes.append(try node(part, table)) }
    return nodes
  }

  // MARK: Comparisons

  private func node(_ comparison: BoundComparison, _ table: Table) throws(QueryError) -> Int {
    if comparison.isOfLists { return try lists(comparison, table) }
    if let identity = try identity(comparison, table) { return identity }
    switch (comparison.left, comparison.right) {
    case (.property(let path), .value), (.property(let path), .values):
      return try node(path, comparison, table)
    case (.matchCount, .value), (.matchCount, .values):
      let reader = try reader(of: comparison.left, table)
      let test = try plan.test(comparison, ResolvedEnd.integer, path: ColumnPath([]))
      return plan.add(.general(GeneralCondition(left: reader, right: .test(test))))
    case (.arithmetic, .value), (.arithmetic, .values):
      let reader = try reader(of: comparison.left, table)
      let test = try plan.test(
        comparison, ResolvedEnd.arithmetic, path: ColumnPath(["an arithmetic expression"]))
      return plan.add(.general(GeneralCondition(left: reader, right: .test(test))))
    case (.outer(let level, let path), .value), (.outer(let level, let path), .values):
      let (reader, end) = try outer(level, path)
      let test = try plan.test(comparison, end, path: path)
      if comparison.operation == .text { try requireWordIndex(reader, path) }
      return plan.add(.general(GeneralCondition(left: reader, right: .test(test))))
    case (.value(let value), .property), (.value(let value), .outer):
      return try mirrored(comparison, value, table)
    case (.value(let left), .value(let right)):
      return plan.add(.constant(try constant(left, comparison, right)))
    default:
      return try pair(comparison, table)
    }
  }

  /// A constant on the left: the comparison is turned around. `value IN collection` is true if an
  /// element is equal to it.
  private func mirrored(
    _ comparison: BoundComparison, _ value: TableValue, _ table: Table
  ) throws(QueryError) -> Int {
    let operation = comparison.operation == .in ? .equal : comparison.operation.mirrored
    guard let operation else {
      guard comparison.operation.isTextual else {
        throw .invalid(
          "Operator '\(comparison.operation.text)' requires a keypath on the left side.")
      }
      return try lists(comparison, table)
    }
    return try node(
      BoundComparison(comparison.right, operation, .value(value), options: comparison.options),
      table)
  }

  private func constant(
    _ left: TableValue, _ comparison: BoundComparison, _ right: TableValue
  ) throws(QueryError) -> Bool {
    guard let left = plan.constants.value(left, target: nil) else {
      throw .invalid("BoundPredicate expressions must compare a keypath and a value.")
    }
    let end = ResolvedEnd(type: .mixed, target: nil, isElement: false)
    let test = try plan.test(
      BoundComparison(
        .value(.null), comparison.operation, .value(right), options: comparison.options),
      end, path: ColumnPath([]))
    return test.matches(left)
  }

  /// Two paths against each other.
  private func pair(_ comparison: BoundComparison, _ table: Table) throws(QueryError) -> Int {
    try checkTypes(comparison, table)
    let left = try reader(of: comparison.left, table)
    let right = try reader(of: comparison.right, table)
    var operation = comparison.operation
    // An element of one path that equals one of the other.
    if operation == .in { operation = .equal }
    guard operation != .between else {
      throw .invalid(
        "BoundPredicate with BETWEEN operator must compare a KeyPath with an aggregate.")
    }
    return plan.add(
      .general(
        GeneralCondition(
          left: left,
          right: comparison.options.isEmpty
            ? .reader(operation, right) : .text(operation, comparison.options, right))))
  }

  /// Two properties whose values are never equal nor in order are a mistake.
  func checkTypes(_ comparison: BoundComparison, _ table: Table) throws(QueryError) {
    guard let first = try end(of: comparison.left, table),
      let second = try end(of: comparison.right, table)
    else { return }
    guard first.isComparable(with: second) else {
      throw .invalid("Property type mismatch between \(first.typeName) and \(second.typeName)")
    }
    if second.type != .mixed { try first.check(comparison.operation, beside: comparison.right) }
  }

  /// The values of an operand; nil for constants.
  private func end(of operand: BoundOperand, _ table: Table) throws(QueryError) -> ResolvedEnd? {
    switch operand {
    case .property(ColumnPath.itself), .value, .values: nil
    case .property(let path): try PathResolver(path: path, source: source).resolve(from: table).end
    case .outer(let level, let path): try outer(level, path).end
    case .matchCount: .integer
    case .arithmetic: .arithmetic
    }
  }

  func reader(of operand: BoundOperand, _ table: Table) throws(QueryError) -> ValueReader {
    switch operand {
    case .property(let path):
      return try PathResolver(path: path, source: source).resolve(from: table).reader
    case .matchCount(let path, let predicate, let level):
      guard level <= outerTables.count else {
        throw .invalid("'\(path.text)' is not within so many subqueries.")
      }
      let start = level == 0 ? table : outerTables[outerTables.count - level]
      let inner = PlanBuilder(
        plan: plan, source: source, search: nil, outerTables: outerTables + [table])
      if let values = try PathResolver(path: path, source: source).values(from: start) {
        let filter = try ValueFilter(predicate, of: values.type, around: inner)
        return ValueReader(end: .valueCount(values.reader, filter, level: level))
      }
      let (steps, target) = try PathResolver(path: path, source: source).objects(from: start)
      let node = try inner.node(predicate, target)
      return ValueReader(
        end: .matchCount(
          steps, node: node, usesOuterScope: predicate.usesOuterScope, level: level))
    case .outer(let level, let path): return try outer(level, path).reader
    case .arithmetic where operand.isLongArithmetic:
      let arithmetic = try LongArithmetic(operand) { (operand) throws(QueryError) in
        try number(operand, table)
      }
      return ValueReader(end: .longArithmetic(arithmetic))
    case .arithmetic(let operation, let left, let right):
      return ValueReader(
        end: .arithmetic(operation, try number(left, table), try number(right, table)))
    case .value, .values:
      throw .invalid(
        "BoundPredicate expressions must compare a keypath and another keypath or a value")
    }
  }

  /// A reader for a path from an object around, and what it leads to.
  func outer(
    _ level: Int, _ path: ColumnPath
  ) throws(QueryError) -> (reader: ValueReader, end: ResolvedEnd) {
    guard path != ColumnPath.itself else {
      throw .invalid("The object of an outer SUBQUERY can only be asked for its properties.")
    }
    guard level > 0, level <= outerTables.count else {
      throw .invalid("'\(path.text)' is not within so many subqueries.")
    }
    let table = outerTables[outerTables.count - level]
    let (reader, end) = try PathResolver(path: path, source: source).resolve(from: table)
    return (ValueReader(end: .outer(level, reader)), end)
  }

  /// A reader of something to compute with.
  private func number(_ operand: BoundOperand, _ table: Table) throws(QueryError) -> ValueReader {
    switch operand {
    case .value(let value):
      guard let constant = plan.constants.value(value, target: nil), constant.kind == 2 else {
        throw .invalid("Cannot compute with '\(value.text)' of type '\(value.typeName)'.")
      }
      return ValueReader(end: .constant(constant))
    case .property(let path):
      let (reader, end) = try PathResolver(path: path, source: source).resolve(from: table)
      return try numeric(reader, end, path)
    case .outer(let level, let path):
      let (reader, end) = try outer(level, path)
      return try numeric(reader, end, path)
    default: return try reader(of: operand, table)
    }
  }

  private func numeric(
    _ reader: ValueReader, _ end: ResolvedEnd, _ path: ColumnPath
  ) throws(QueryError) -> ValueReader {
    guard end.isNumeric else {
      throw .invalid("Cannot compute with property '\(path.text)' of type '\(end.typeName)'.")
    }
    return reader
  }

  /// A path against constants.
  private func node(
    _ path: ColumnPath, _ comparison: BoundComparison, _ table: Table
  ) throws(QueryError) -> Int {
    if let node = try linked(path, comparison, table) { return node }
    let (reader, end) = try PathResolver(path: path, source: source).resolve(from: table)
    let test = try plan.test(comparison, end, path: path)
    if comparison.operation == .text { try requireWordIndex(reader, path) }
    guard reader.steps.isEmpty else {
      return plan.add(.general(GeneralCondition(left: reader, right: .test(test))))
    }
    switch reader.end {
    case .value(let column):
      let node = plan.add(try ColumnCondition.node(column, test, in: table))
      if let lookup = IndexLookup(column, test) { plan.note(lookup, for: node) }
      return node
    case .link(let column, _):
      if let condition = ColumnCondition.link(column, test) { return plan.add(condition) }
    default: break
    }
    return plan.add(.general(GeneralCondition(left: reader, right: .test(test))))
  }

  /// Texts are not searched word by word without an index: that would be slow without a word.
  private func requireWordIndex(_ reader: ValueReader, _ path: ColumnPath) throws(QueryError) {
    if case .value(let column) = reader.end, column.isFullText { return }
    throw .invalid("Operator 'TEXT' needs a full-text index, which '\(path.text)' does not have.")
  }

  /// A path that begins with a to-one link: the rest of the condition is answered for the target
  /// table as a whole, if that is not much larger than this one.
  private func linked(
    _ path: ColumnPath, _ comparison: BoundComparison, _ table: Table
  ) throws(QueryError) -> Int? {
    guard let search, path.names.count > 1, let column = table.schema.column(named: path.names[0]),
      column.type == .link, column.collection == .none, let key = column.targetTable
    else { return nil }
    let target = try source.table(key)
    guard let target else { return nil }
    let sizes = try QueryError.storing((target.objectCount(), table.objectCount()))
    guard sizes.0 <= sizes.1 * 4 + 1024 else { return nil }
    let rest = path.droppingFirst(1)
    let inner = BoundPredicate.comparison(
      BoundComparison(
        .property(rest), comparison.operation, comparison.right, options: comparison.options))
    // The test of the whole path on null decides for null links.
    let (_, end) = try PathResolver(path: path, source: source).resolve(from: table)
    let test = try plan.test(comparison, end, path: path)
    let found = try search(inner, target)
    let node = plan.add(
      .linked(
        LinkedCondition(
          leafIndex: column.leafIndex, targets: KeyFilter(found.keys),
          matchesNull: test.matches(.null))))
    plan.note(found, for: node)
    return node
  }
}
