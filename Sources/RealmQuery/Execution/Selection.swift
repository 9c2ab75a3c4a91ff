// SPDX-License-Identifier: Apache-2.0

// A predicate that is ready to run over one version of a table.

package import RealmStorage
package import RealmTables

/// The objects of a table that match a predicate.
///
/// Made for one version (or for a write transaction between two changes) and used with that alone.
package struct Selection {
  package let table: Table
  let predicate: BoundPredicate
  let source: any TableReader
  let plan: QueryPlan
  let root: Int

  /// - Parameter isScan: whether many rows will be asked for; for a few, conditions on linked
  ///   objects follow each link by itself.
  /// - Throws: `QueryError.invalid` if the predicate does not fit the schema.
  package init(
    _ predicate: BoundPredicate, in table: Table, of source: any TableReader, isScan: Bool = true
  ) throws(QueryError) {
    self.table = table
    self.predicate = predicate
    self.source = source
    plan = QueryPlan()
    let search = { (condition: BoundPredicate, table: Table) throws(QueryError) -> LinkedSearch in
      try Selection(condition, in: table, of: source).linkedSearch()
    }
    root = try PlanBuilder(plan: plan, source: source, search: isScan ? search : nil)
      .node(predicate, table)
    assert(unsafe root == plan.nodes.count - 1, "`QueryPlan` 2")
  }

  /// The matches, as those of a condition on linked objects.
  private func linkedSearch() throws(QueryError) -> LinkedSearch {
    let keys = try QueryError.storing(self.keys())
    return LinkedSearch(keys: keys) {
      let count = (try? table.objectCount()) ?? 0
      let isIndexed = (try? usesIndex) ?? false
      return "\(keys.count) of \(count) \(table.className), by \(isIndexed ? "index" : "scan")"
    }
  }

  /// The tests in the order in which they are made.
  var testText: String { plan.text(of: root) }

  /// Whether an index finds the objects.
  private var usesIndex: Bool {
    get throws(StorageError) {
      if try exactLookup != nil { return true }
      return try candidates(root) != nil
    }
  }

  // MARK: Whole table

  /// The number of objects that match.
  package func count() throws(StorageError) -> Int {
    if let (index, value) = try exactLookup { return try index.count(of: value) }
    return try reduce(into: 0) { count, _, rows in count &+= rows.count }.reduce(0, +)
  }

  /// The keys of the objects that match, ascending; at most `limit`.
  package func keys(limit: Int = .max) throws(StorageError) -> [ObjectKey] {
    if limit <= 0 { return [] }
    if let (index, value) = try exactLookup {
      let keys = try index.findAll(value)
      return keys.count <= limit ? keys : Array(keys.prefix(limit))
    }
    var keys: [ObjectKey] = []
    if limit == .max {
      let parts = try reduce(into: keys) { keys, cluster, rows in
        for row in rows { keys.append(cluster.key(at: row)) }
      }
      return parts.count == 1 ? parts[0] : Array(parts.joined())
    }
    try forEachMatch { cluster, rows in
      for row in rows { keys.append(cluster.key(at: row)) }
      return keys.count < limit
    }
    if keys.count > limit { keys.removeLast(keys.count - limit) }
    return keys
  }

  /// The object with the smallest key that matches.
  package func first() throws(StorageError) -> ObjectKey? {
    if let (index, value) = try exactLookup { return try index.find(value) }
    var key: ObjectKey?
    try forEachMatch { cluster, rows in
      key = rows.first.map(cluster.key(at:))
      return key == nil
    }
    return key
  }

  /// Aggregates a column over the objects that match.
  package func aggregate(
    _ function: CollectionFunction, of column: Column
  ) throws(StorageError) -> MixedValue {
    let parts = try reduce(into: Aggregator(function)) {
      (aggregator, cluster, rows) throws(StorageError) in
      try aggregator.add(column, of: cluster, rows)
    }
    return Aggregator(merging: parts).result
  }

  /// Calls `body` with the matching rows of each cluster that has some, in key order, until it says
  /// false.
  package func forEachMatch(
    _ body: (Cluster, LeafMask) throws(StorageError) -> Bool
  ) throws(StorageError) {
    plan.beginPass()
    if let candidates = try candidates(root) {
      var runs = RowRuns(of: candidates, in: table)
      while let (cluster, rows) = try runs.next() {
        let found = try plan.mask(root, cluster, rows)
        if !found.isEmpty, try !body(cluster, found) { return }
      }
      return
    }
    var cursor = table.clusterCursor()
    while let cluster = try cursor.next() {
      let found = try plan.mask(root, cluster, LeafMask(firstRows: cluster.count))
      if !found.isEmpty, try !body(cluster, found) { return }
    }
  }

  // MARK: Scanning

  /// Adds the matching rows, cluster by cluster in key order, to one result; or to one for each
  /// part of a large table, in key order.
  ///
  /// - Parameter add: called on several threads, each with a value of its own.
  func reduce<Result: Sendable>(
    into initial: Result,
    _ add: @Sendable (inout Result, Cluster, LeafMask) throws(StorageError) -> Void
  ) throws(StorageError) -> [Result] {
    plan.beginPass()
    if let candidates = try candidates(root) {
      var result = initial
      var runs = RowRuns(of: candidates, in: table)
      while let (cluster, rows) = try runs.next() {
        let found = try plan.mask(root, cluster, rows)
        if !found.isEmpty { try add(&result, cluster, found) }
      }
      return [result]
    }
    guard plan.isQuickToMake, let parts = try ScanParts(table) else {
      var result = initial
      try scan(table.clusterCursor(), &result, add)
      return [result]
    }
    let selections = copies(WorkerPool.shared.workerCount)
    return try Workers.map(parts: parts.ranges.count, tools: selections) {
      (selection, part) throws(StorageError) in
      var result = initial
      try selection.scan(
        selection.table.clusterCursor(of: parts.ranges[part]),
        &result, add)
      return result
    }
  }

  /// This and others like it that have nothing in common with each other: the counts of references
  /// to a shared plan would wander from core to core with each cluster.
  private func copies(_ count: Int) -> [Selection] {
    // The predicate fits the schema, as this shows; with fewer copies fewer threads work.
    [self]
      + (1..<count).compactMap { _ in try? Selection(predicate, in: table, of: source) }
  }

  private func scan<Result>(
    _ cursor: ClusterCursor, _ result: inout Result,
    _ add: (inout Result, Cluster, LeafMask) throws(StorageError) -> Void
  ) throws(StorageError) {
    var cursor = cursor
    while let cluster = try cursor.next() {
      let found = try plan.mask(root, cluster, LeafMask(firstRows: cluster.count))
      if !found.isEmpty { try add(&result, cluster, found) }
    }
  }

  // MARK: Single objects

  /// Whether the object at `row` matches.
  package func matches(_ row: Row) throws(StorageError) -> Bool {
    try plan.matches(row, node: root)
  }

  /// Whether an object exists and matches.
  package func matches(_ key: ObjectKey) throws(StorageError) -> Bool {
    guard let row = try table.row(of: key) else { return false }
    return try matches(row)
  }

  /// Those of `keys` that match, in their order; keys without an object are left out.
  package func keys(among keys: [ObjectKey]) throws(StorageError) -> [ObjectKey] {
    var reader = RowReader(table)
    var found: [ObjectKey] = []
    for key in keys {
      guard let row = try reader.row(of: key) else { continue }
      if try matches(row) { found.append(key) }
    }
    return found
  }

  // MARK: Indexes

  /// The index that knows the matches, and the value under which it has them.
  var exactLookup: (SearchIndex<ColumnValues>, MixedValue)? {
    get throws(StorageError) {
      guard let lookup = plan.lookups[root], let value = lookup.exactValue,
        let index = try table.index(of: lookup.column)
      else { return nil }
      return (index, value)
    }
  }

  /// Ascending keys among which all matches of a node are; nil if no index gives them.
  func candidates(_ node: Int) throws(StorageError) -> [ObjectKey]? {
    if let lookup = plan.lookups[node] {
      return try lookup.candidates(in: table, limit: try indexLimit)
    }
    switch unsafe plan.nodes[node] {
    case .all(let children):
      var best: [ObjectKey]?
      for child in unsafe plan.children[children] {
        guard let keys = try candidates(child) else { continue }
        if keys.count < best?.count ?? Int.max { best = keys }
      }
      return best
    case .any(let children):
      var keys: Set<ObjectKey> = []
      for child in unsafe plan.children[children] {
        guard let more = try candidates(child) else { return nil }
        keys.formUnion(more)
      }
      return keys.sorted()
    default: return nil
    }
  }

  /// With more objects than this, a scan is cheaper than finding each.
  private var indexLimit: Int {
    get throws(StorageError) { try max(table.objectCount() / 8, 64) }
  }
}

/// Finds rows of many objects, faster where neighbours are asked for one after the other.
package struct RowReader {
  package let table: Table
  private var cluster: Cluster?

  package init(_ table: Table) { self.table = table }

  /// The object with that key.
  package mutating func row(of key: ObjectKey) throws(StorageError) -> Row? {
    guard key.rawValue >= 0 else { return nil }
    if let cluster, let index = cluster.index(of: key) { return cluster.row(at: index) }
    let next = try table.clusters.cluster(for: key)
    cluster = next
    return next.index(of: key).map(next.row(at:))
  }

  /// Asks for the memory in which an object is that is read soon.
  ///
  /// Mutating, so that a reader in an object is used where it is and not copied for each call.
  package mutating func prefetch(_ key: ObjectKey) throws(StorageError) {
    if cluster?.index(of: key) == nil { try table.clusters.prefetch(key) }
  }
}
