// SPDX-License-Identifier: Apache-2.0

// A predicate bound to one version: a flat program that is run cluster by cluster.
//
// Invariants:
// 1. A plan is made for the tables of one version (or of a write transaction between two changes)
//    and is not used with another.
// 2. Children stand before their parents; the root is last. In `all` the child comes first that
//    rules out the most for what it costs, and each sees only the rows that the ones before it left
//    over; in `any` the one that decides the most.
// 3. `mask` and `matches` agree for every node; `matches` exists for rows that come one at a time.
// 4. One thread runs a plan at a time: it keeps the objects around an element that is evaluated.
// 5. A pass over a table comes to each collection in the values of its rows once for each condition
//    that asks for elements of collections: to no more than the file has room for, although the
//    rows of a damaged or hostile file may have the same collections.

import RealmStorage
import RealmTables

/// Conditions bound to leaf indexes.
final class QueryPlan {
  /// A plan that runs does not change: no access needs a check for each cluster.
  @exclusivity(unchecked) private(set) var nodes: [PlanNode] = []
  /// The children of all nodes, as indexes into `nodes`.
  @exclusivity(unchecked) private(set) var children: [Int] = []
  private var costs: [Int] = []
  /// The share of the rows that a node is expected to let pass.
  private var shares: [Double] = []
  /// The nodes as people read them, made on demand.
  private(set) var texts: [Int: () -> String] = [:]
  /// Conditions that an index can answer, by node.
  private(set) var lookups: [Int: IndexLookup] = [:]
  /// The searches for linked objects, by node.
  private(set) var searches: [Int: LinkedSearch] = [:]
  let constants = ConstantStore()
  /// The objects whose elements are evaluated, the outermost first.
  private var outerRows: [Row] = []

  /// The nodes of collections in values that the plan has come to.
  private var nestedCount = 0
  /// Those of them that are in rows of the pass.
  private var passNestedCount = 0

  /// Begins a pass, which asks for each row of a table once.
  func beginPass() { passNestedCount = 0 }

  /// Notes a walk over the collections in a value.
  func note(_ nesting: MixedNesting) { nestedCount += nesting.nodeCount }

  /// The value of `body`, which looks into the values of a row of the pass alone (`QueryPlan` 5).
  func inPass<R>(
    _ space: NodeSpace, _ body: () throws(StorageError) -> R
  ) throws(StorageError) -> R {
    let before = nestedCount
    let result = try body()
    passNestedCount += nestedCount - before
    let (countMax, isOver) = MixedNesting.nodeCountMax(in: space).multipliedReportingOverflow(
      by: unsafe nodes.count)
    guard isOver || passNestedCount <= countMax else {
      throw .corrupted("nested collections do not end")
    }
    return result
  }

  /// Begins the elements of an object's collection, for conditions that use the outer scope.
  func enter(_ row: Row) { outerRows.append(row) }

  /// Ends what `enter` began.
  func leave() {
    assert(!outerRows.isEmpty, "`QueryPlan` 4")
    outerRows.removeLast()
  }

  /// The object that many levels out.
  func outerRow(at level: Int) -> Row {
    assert(level > 0 && level <= outerRows.count, "`QueryPlan` 4")
    return outerRows[outerRows.count - level]
  }

  func add(_ node: PlanNode) -> Int {
    if case .not(let child) = node { unsafe assert(nodes.indices.contains(child), "`QueryPlan` 2") }
    unsafe nodes.append(node)
    costs.append(cost(of: node))
    shares.append(share(of: node))
    unsafe assert(
      costs.count == nodes.count && shares.count == nodes.count, "each node has a cost and a share")
    return unsafe nodes.count - 1
  }

  private func cost(of node: PlanNode) -> Int {
    switch node {
    case .all(let children), .any(let children):
      unsafe self.children[children].reduce(1) { $0 + costs[$1] }
    case .not(let child): 1 + costs[child]
    default: node.cost
    }
  }

  private func share(of node: PlanNode) -> Double {
    switch node {
    case .all(let children): unsafe self.children[children].reduce(1) { $0 * shares[$1] }
    case .any(let children): unsafe 1 - self.children[children].reduce(1) { $0 * (1 - shares[$1]) }
    case .not(let child): 1 - shares[child]
    default: node.share
    }
  }

  /// Says what a node is; the first text stays.
  func describe(_ node: Int, _ text: @escaping @autoclosure () -> String) {
    if texts[node] == nil { texts[node] = text }
  }

  /// The children in the order of what they cost for each row that they decide.
  private func ordered(_ children: [Int], _ decided: (Int) -> Double) -> [Int] {
    let prices = children.map { (Double(costs[$0]) / max(decided($0), 0.01), $0) }
    return prices.sorted { $0 < $1 }.map(\.1)
  }

  /// Adds the conjunction of several nodes, the one that rules out the most for its cost first.
  func addAll(_ children: [Int]) -> Int {
    assert(!children.isEmpty, "a conjunction of nothing is a constant")
    let children = mergingRanges(children.flatMap(conjuncts))
    if children.count == 1 { return children[0] }
    return add(.all(note(ordered(children) { 1 - shares[$0] })))
  }

  /// Adds the disjunction of several nodes, the one that lets pass the most for its cost first.
  func addAny(_ children: [Int]) -> Int {
    assert(!children.isEmpty, "a disjunction of nothing is a constant")
    if children.count == 1 { return children[0] }
    let children = children.flatMap(disjuncts)
    return add(.any(note(ordered(children) { shares[$0] })))
  }

  private func note(_ nodes: [Int]) -> PlanChildren {
    assert(unsafe nodes.allSatisfy(self.nodes.indices.contains), "`QueryPlan` 2")
    unsafe children += nodes
    return unsafe children.count - nodes.count..<children.count
  }

  /// The conditions of a conjunction within a conjunction.
  private func conjuncts(_ node: Int) -> [Int] {
    if case .all(let children) = unsafe nodes[node] {
      unsafe Array(self.children[children])
    } else {
      [node]
    }
  }

  private func disjuncts(_ node: Int) -> [Int] {
    if case .any(let children) = unsafe nodes[node] {
      unsafe Array(self.children[children])
    } else {
      [node]
    }
  }

  /// Joins conditions that each want one integer column in a range: `a >= 1 && a < 5` reads the
  /// column once.
  private func mergingRanges(_ children: [Int]) -> [Int] {
    var merged: [Int] = []
    for child in children {
      guard let range = plainRange(child),
        let partner = merged.firstIndex(where: {
          plainRange($0)?.leafIndex == range.leafIndex
        }), let other = plainRange(merged[partner])
      else {
        merged.append(child)
        continue
      }
      let both = other.intersection(range)
      let joined = both.map { add(.integers($0)) } ?? add(.constant(false))
      // The plan would keep itself alive if it were asked then.
      let (first, second) = (texts[merged[partner]], texts[child])
      describe(joined, "\(first?() ?? "") and \(second?() ?? "")")
      merged[partner] = joined
    }
    return merged
  }

  /// The condition of a node, if it is a range that no index answers.
  private func plainRange(_ node: Int) -> IntegerCondition? {
    guard case .integers(let condition) = unsafe nodes[node], lookups[node] == nil,
      !condition.excludes, !condition.matchesNull
    else { return nil }
    return condition
  }

  func note(_ lookup: IndexLookup, for node: Int) {
    unsafe assert(nodes.indices.contains(node) && lookups[node] == nil, "a node has one lookup")
    lookups[node] = lookup
  }

  func note(_ search: LinkedSearch, for node: Int) {
    unsafe assert(nodes.indices.contains(node) && searches[node] == nil, "a node has one search")
    searches[node] = search
  }

  /// Whether making the same plan again costs nothing against a scan: no other table is scanned for
  /// it.
  var isQuickToMake: Bool {
    unsafe nodes.allSatisfy { if case .linked = $0 { false } else { true } }
  }

  // MARK: Running

  /// The rows of `rows` that match a node.
  func mask(_ node: Int, _ cluster: Cluster, _ rows: LeafMask) throws(StorageError) -> LeafMask {
    switch unsafe nodes[node] {
    case .constant(let truth): return truth ? rows : .none
    case .all(let children):
      var left = rows
      for child in children {
        left = try unsafe mask(self.children[child], cluster, left)
        if left.isEmpty { break }
      }
      return left
    case .any(let children):
      var left = rows
      for child in children {
        left = unsafe left - (try mask(self.children[child], cluster, left))
        if left.isEmpty { break }
      }
      return rows - left
    case .not(let child): return rows - (try mask(child, cluster, rows))
    case .integers(let condition): return try condition.mask(cluster, rows, self)
    case .integerSet(let condition): return try condition.mask(cluster, rows, self)
    case .doubles(let condition): return try condition.mask(cluster, rows, self)
    case .floats(let condition): return try condition.mask(cluster, rows, self)
    case .bytes(let condition): return try condition.mask(cluster, rows, self)
    case .timestamps(let condition): return try condition.mask(cluster, rows, self)
    case .values(let condition): return try condition.mask(cluster, rows, self)
    case .linked(let condition): return try condition.mask(cluster, rows, self)
    case .general(let condition): return try condition.mask(cluster, rows, self)
    case .within(let condition): return try condition.mask(cluster, rows, self)
    case .identity(let condition): return try condition.mask(cluster, rows, self)
    }
  }

  /// Whether one row matches a node.
  func matches(_ row: Row, node: Int) throws(StorageError) -> Bool {
    switch unsafe nodes[node] {
    case .constant(let truth): return truth
    case .all(let children):
      for child in children where try unsafe !matches(row, node: self.children[child]) {
        return false
      }
      return true
    case .any(let children):
      for child in children where try unsafe matches(row, node: self.children[child]) {
        return true
      }
      return false
    case .not(let child): return try !matches(row, node: child)
    case .integers(let condition): return try condition.matches(row, self)
    case .integerSet(let condition): return try condition.matches(row, self)
    case .doubles(let condition): return try condition.matches(row, self)
    case .floats(let condition): return try condition.matches(row, self)
    case .bytes(let condition): return try condition.matches(row, self)
    case .timestamps(let condition): return try condition.matches(row, self)
    case .values(let condition): return try condition.matches(row, self)
    case .linked(let condition): return try condition.matches(row, self)
    case .general(let condition): return try condition.matches(row, self)
    case .within(let condition): return try condition.matches(row, self)
    case .identity(let condition): return try condition.matches(row, self)
    }
  }
}

// MARK: - Constants

extension QueryPlan {
  /// The operator and constants of a comparison, checked against what the path leads to.
  func test(
    _ comparison: BoundComparison, _ end: ResolvedEnd, path: ColumnPath
  ) throws(QueryError) -> ValueTest {
    func checked(_ value: TableValue) throws(QueryError) -> MixedValue {
      try constant(value, for: end, path: path)
    }
    try end.check(comparison.operation, beside: comparison.right)
    switch (comparison.operation, comparison.right) {
    case (.in, .values(let values)): return ValueTest(oneOf: try values.map(checked))
    case (.between, .values(let values)) where values.count == 2:
      return ValueTest(from: try checked(values[0]), through: try checked(values[1]))
    case (.in, _), (.between, _), (_, .values):
      throw .invalid(
        "The right side of \(comparison.operation.text) has the wrong number of values")
    case (.text, .value(.string(let terms))) where end.type == .string:
      return ValueTest(words: TextSearch(terms))
    case (.text, _):
      throw .invalid("Operator 'TEXT' needs a property of type string, and words to look for.")
    case (let operation, .value(let value)):
      let constant = try checked(value)
      // Every string is greater than none.
      if end.type == .string, constant.isNull, [.greater, .greaterOrEqual].contains(operation) {
        return ValueTest(.notEqual, value: .null)
      }
      let isText = operation.isTextual || !comparison.options.isEmpty
      if isText, end.isText { return try textTest(operation, constant, comparison.options) }
      return ValueTest(operation, value: constant)
    default:
      throw .invalid(
        "BoundPredicate expressions must compare a keypath and another keypath or a value")
    }
  }

  /// A constant in the form in which the values at an end are compared with it.
  ///
  /// - Throws: `QueryError.invalid` if no value there can be equal to it.
  func constant(
    _ value: TableValue, for end: ResolvedEnd, path: ColumnPath
  ) throws(QueryError) -> MixedValue {
    let converted = end.isComputed ? value : value.converted(to: end.type)
    guard let constant = constants.value(converted, target: end.target), end.accepts(constant)
    else { throw .typeMismatch(value.text, of: value.typeName, path: path, end.typeName) }
    return constant
  }

  private func textTest(
    _ operation: ComparisonOperator, _ constant: MixedValue, _ options: TextOptions
  ) throws(QueryError) -> ValueTest {
    switch constant {
    case .string(let bytes), .binary(let bytes):
      guard operation.isTextual || operation == .equal || operation == .notEqual else {
        throw .invalid("Lexicographical comparisons must be case-sensitive")
      }
      guard operation != .like || !options.contains(.diacriticInsensitive) else {
        throw .invalid("Operator 'LIKE' not supported with diacritic-insensitive modifier.")
      }
      let isBinary = if case .binary = constant { true } else { false }
      return unsafe ValueTest(
        TextMatcher(operation, Array(bytes.bytes), options: options), operation,
        isBinary: isBinary, needle: bytes)
    case .null where operation.isTextual:
      // Looking for null finds nothing.
      return ValueTest(oneOf: [])
    default: return ValueTest(operation, value: constant)
    }
  }
}
