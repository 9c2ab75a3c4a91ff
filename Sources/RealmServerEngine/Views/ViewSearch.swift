// SPDX-License-Identifier: Apache-2.0

// The next download of a client in flexible mode, found in a version of the realm: where the search
// may take long, no upload waits for it. A finding is brought to a later version by the objects
// touched since, and is recorded in the turn to append.
//
// Invariants:
// 1. A finding by an earlier one equals the finding of a search of the version itself.

import RealmQuery
import RealmStorage
import RealmSyncProtocol
import RealmTables

/// The request of a client.
struct ViewRequest: Sendable {
  let file: FileIdentifier
  let user: String
  let cursor: DownloadCursor
  /// The client's view at its cursor.
  let query: EffectiveQuery
  /// The requested view; nil for the same.
  let next: EffectiveQuery?
  /// The user's right to read from now on; nil for everything.
  let filters: ReadFilters?
}

/// The part of a realm for a request.
struct ViewInput: Sendable {
  let snapshot: RealmSnapshot
  /// The private changes without a confirmation, and their objects.
  let unconfirmed: [PrivateChange]
  let unconfirmedObjects: [ObjectIdentity]
  /// The last version before anything missed.
  let start: UInt64
  /// Nil if it has missed nothing.
  let missed: MissedChanges?
  /// The time of the version.
  let timestamp: OriginTimestamp
  /// The objects touched since the earlier finding; nil if there is none, and if the classes or
  /// anything else may be others.
  let touched: [ObjectIdentity]?
}

/// The result of a search in a version.
struct ViewFinding: Sendable {
  let input: ViewInput
  let schemas: [TableSchema]
  /// Of the query, of its rest by the filters, and of the next query.
  let views: [View]
  let members: [ObjectIdentity: Round.Member]
  let selected: Bootstrap.Selected
  let round: Round
  let bootstrap: Bootstrap?

  /// The cost of bringing the finding to a later version, in comparisons; nil if it cannot be.
  ///
  /// - Parameters:
  ///   - countsObjects: Whether the selected objects count, too.
  ///   - limit: More elements of collections are not counted.
  func cost(
    of input: ViewInput, countsObjects: Bool, limit: Int
  ) throws(StorageError) -> Int? {
    guard let touched = input.touched else { return nil }
    if touched.isEmpty { return 0 }
    let perObject = views.reduce(1) { $0 + $1.comparisonCountMax }
    let (cost, overflow) = perObject.multipliedReportingOverflow(by: touched.count)
    if overflow { return nil }
    let elements = try View.elementCount(
      of: touched, by: views, in: input.snapshot.objects, limit: limit)
    return cost + elements + (countsObjects ? selected.count : 0)
  }
}

/// A search in a version.
struct ViewSearch: Sendable {
  /// The classes of the version, and the views of the request that are bound to them.
  private struct Bound {
    let schemas: [TableSchema]
    let views: [View]
  }

  let request: ViewRequest
  let input: ViewInput
  let scratch: ViewScratch
  let entryByteCountMax: Int

  /// The most comparisons, about, of a search on the thread of its realm: the way to another thread
  /// and back takes longer, and uploads that arrive meanwhile are integrated one by one.
  @TaskLocal static var shortComparisonCountMax = 1 << 12

  /// Searches at once if that is short; nil if it is not.
  nonisolated(nonsending) func runIfShort(
    from earlier: ViewFinding?
  ) async throws(StoreError) -> Result<ViewFinding, SessionRefusal>? {
    let limit = Self.shortComparisonCountMax
    guard request.next == nil else { return nil }
    let queries = [request.query, request.query.limited(by: request.filters)]
    guard Self.readingCost(of: queries) <= limit else { return nil }
    let schemas = try StoreError.storing(input.snapshot.objects.classSchemas())
    guard case .success(let views) = try Self.bind(queries, to: input.snapshot, schemas, scratch)
    else { return nil }
    let perObject = Self.comparisonCount(perObjectOf: views)
    let count = (input.missed?.log.objects.count ?? 0) + input.unconfirmedObjects.count
    let (cost, overflow) = perObject.multipliedReportingOverflow(by: count)
    guard !overflow, cost <= limit,
      try StoreError.storing(elementCount(views, limit: limit - cost + 1)) <= limit - cost
    else { return nil }
    return try await run(from: earlier, nil, Bound(schemas: schemas, views: views))
  }

  /// To read a condition takes about as long as some comparisons for each of its letters.
  private static func readingCost(of queries: [EffectiveQuery]) -> Int {
    16 * queries.reduce(0) { $0 + $1.byteCount }
  }

  /// The comparisons for an object, before and afterwards.
  private static func comparisonCount(perObjectOf views: [View]) -> Int {
    2 * views.reduce(1) { $0 + $1.comparisonCountMax }
  }

  /// The comparisons with elements of the touched objects, before and afterwards.
  private func elementCount(_ views: [View], limit: Int) throws(StorageError) -> Int {
    let (touched, tables) = (input.missed?.log.objects ?? [], input.snapshot.objects)
    let count = try View.elementCount(
      of: touched, by: views, in: tables, limit: limit / 2 + 1)
    let others = try View.elementCount(
      of: input.unconfirmedObjects, by: views, in: tables, limit: limit / 2 + 1)
    return 2 * (count + others)
  }

  /// - Parameter share: The search's part of its thread; nil to go on to the end.
  nonisolated(nonsending) func run(
    from earlier: ViewFinding?, _ share: SearchShare?
  ) async throws(StoreError) -> Result<ViewFinding, SessionRefusal> {
    try await run(from: earlier, share, nil)
  }

  private nonisolated(nonsending) func run(
    from earlier: ViewFinding?, _ share: SearchShare?, _ bound: Bound?
  ) async throws(StoreError) -> Result<ViewFinding, SessionRefusal> {
    let schemas =
      if let bound { bound.schemas } else {
        try StoreError.storing(input.snapshot.objects.classSchemas())
      }
    let earlier = input.touched == nil ? nil : earlier
    let views: [View]
    if let known = earlier?.views ?? bound?.views {
      views = known
    } else {
      let queries =
        [request.query, request.query.limited(by: request.filters)]
        + (request.next.map { [$0] } ?? [])
      switch try Self.bind(queries, to: input.snapshot, schemas, scratch) {
      case .success(let bound): views = bound
      case .failure(let refusal): return .failure(refusal)
      }
      await share?.spend(Self.readingCost(of: queries))
    }
    if let earlier, let moved = moved(earlier, schemas) { return .success(moved) }
    let selected = try await selected(views, from: earlier, share)
    let objects = try objects(views)
    guard let members = try await members(of: objects, views, from: earlier, share) else {
      return .failure(Self.tooCostly)
    }
    let round = try round(views, objects, members, selected)
    let bootstrap = try await bootstrap(views, selected, after: round, share)
    return .success(
      ViewFinding(
        input: input, schemas: schemas, views: views, members: members, selected: selected,
        round: round, bootstrap: bootstrap))
  }

  /// The views of queries in a version with these classes.
  static func bind(
    _ queries: [EffectiveQuery], to snapshot: RealmSnapshot, _ schemas: [TableSchema],
    _ scratch: ViewScratch?
  ) throws(StoreError) -> Result<[View], SessionRefusal> {
    var views: [View] = []
    for (index, query) in queries.enumerated() {
      // Without filters the first two are one.
      if index > 0, query == queries[index - 1] {
        views.append(views[index - 1])
        continue
      }
      if let known = scratch?.views.withLock({ $0.view(query, schemas) }) {
        views.append(known)
        continue
      }
      switch try StoreError.storing(View.bind(query, to: snapshot.objects)) {
      case .success(let view):
        scratch?.views.withLock { $0.keep(view, of: query, schemas) }
        views.append(view)
      case .failure(let refusal): return .failure(refusal)
      }
    }
    return .success(views)
  }

  /// The view of the readable part; nil if that is the client's view.
  private func allowed(_ views: [View]) -> View? {
    request.query.limited(by: request.filters) == request.query ? nil : views[1]
  }

  private func due(_ views: [View]) -> View? { request.next == nil ? nil : views[2] }

  /// The same finding in a later version without changes; nil if there are some, or if the server's
  /// own part of the round has the versions of the earlier one.
  private func moved(_ earlier: ViewFinding, _ schemas: [TableSchema]) -> ViewFinding? {
    guard input.touched?.isEmpty == true, input.unconfirmed.isEmpty,
      earlier.input.unconfirmed.isEmpty, let round = earlier.round.moved(to: input.snapshot.head)
    else { return nil }
    let bootstrap = earlier.bootstrap?.moved(to: round.cursor, timestamp: input.timestamp)
    return ViewFinding(
      input: input, schemas: schemas, views: earlier.views, members: earlier.members,
      selected: earlier.selected, round: round, bootstrap: bootstrap)
  }

  // MARK: Whole classes

  /// The objects of the old and the next view.
  private nonisolated(nonsending) func selected(
    _ views: [View], from earlier: ViewFinding?, _ share: SearchShare?
  ) async throws(StoreError) -> Bootstrap.Selected {
    var selected = Bootstrap.Selected()
    guard let due = due(views) else { return selected }
    for name in Set(due.classNames).union(views[0].classNames).sorted() {
      selected.before[name] = try await keys(
        of: views[0], name, earlier.map { ($0, $0.selected.before[name] ?? []) }, share)
      selected.after[name] = try await keys(
        of: due, name, earlier.map { ($0, $0.selected.after[name] ?? []) }, share)
    }
    return selected
  }

  private nonisolated(nonsending) func keys(
    of view: View, _ name: String, _ earlier: (finding: ViewFinding, keys: [ObjectKey])?,
    _ share: SearchShare?
  ) async throws(StoreError) -> [ObjectKey] {
    if let earlier {
      return try StoreError.storing(keys(of: view, name, from: earlier.finding, earlier.keys))
    }
    guard var scan = try StoreError.storing(view.scan(ofClass: name, in: input.snapshot.objects))
    else { return [] }
    while let count = try StoreError.storing(
      scan.advance(comparisons: SearchShare.comparisonCountMax))
    {
      await share?.spend(count)
    }
    return scan.keys
  }

  /// The objects of a view, by those of an earlier version.
  private func keys(
    of view: View, _ name: String, from earlier: ViewFinding, _ keys: [ObjectKey]
  ) throws(StorageError) -> [ObjectKey] {
    guard let table = try View.table(name, input.snapshot.objects) else { return [] }
    let before = try View.table(name, earlier.input.snapshot.objects)
    var touched: Set<ObjectKey> = []
    var present: [ObjectKey] = []
    for object in input.touched ?? [] where object.className == name {
      if let key = try before?.key(of: object.key) { touched.insert(key) }
      guard let key = try table.key(of: object.key) else { continue }
      touched.insert(key)
      present.append(key)
    }
    guard !touched.isEmpty else { return keys }
    let found = try view.keys(
      among: present.sorted(), ofClass: name, table: table, in: input.snapshot.objects)
    return (keys.filter { !touched.contains($0) } + found).sorted()
  }

  private nonisolated(nonsending) func bootstrap(
    _ views: [View], _ selected: Bootstrap.Selected, after round: Round, _ share: SearchShare?
  ) async throws(StoreError) -> Bootstrap? {
    guard let due = due(views) else { return nil }
    await share?.spend(selected.count)
    var bootstrap = try StoreError.storing(
      Bootstrap(
        selected, from: views[0], to: due, absent: allowed(views) == nil ? [] : round.absent,
        Bootstrap.Basis(
          input.snapshot, at: round.cursor, timestamp: input.timestamp,
          entryByteCountMax: entryByteCountMax)))
    while let count = try StoreError.storing(bootstrap.makePart()) { await share?.spend(4 * count) }
    return bootstrap
  }

  // MARK: Touched objects

  /// The refusal of a round with an object whose collections have grown too long for a condition.
  private static var tooCostly: SessionRefusal {
    var refusal = SessionRefusal(
      .sessionClosed, "An object has too many elements for the subscriptions of the client")
    refusal.document.retry = RetryHint(intervalSeconds: 60)
    return refusal
  }

  /// The touched objects, and those that the client may not have received.
  private func objects(_ views: [View]) throws(StoreError) -> [ObjectIdentity] {
    guard let missed = input.missed else { return [] }
    return try StoreError.storing(
      Round.objects(
        missed, input.snapshot, views[0], allowed(views), request.file, input.unconfirmedObjects))
  }

  /// The client's sight of these, before and afterwards; nil if that is too costly for one of them.
  private nonisolated(nonsending) func members(
    of objects: [ObjectIdentity], _ views: [View], from earlier: ViewFinding?,
    _ share: SearchShare?
  ) async throws(StoreError) -> [ObjectIdentity: Round.Member]? {
    guard let missed = input.missed else { return [:] }
    var members = earlier?.members ?? [:]
    for object in input.touched ?? [] { members[object] = nil }
    let perObject = Self.comparisonCount(perObjectOf: views)
    let partCount = max(16, SearchShare.comparisonCountMax / perObject)
    let countsElements = views.contains { !$0.elementCosts.isEmpty }
    var rest = objects.filter { members[$0] == nil }[...]
    while !rest.isEmpty {
      var (part, cost) = (rest.prefix(partCount), 0)
      if countsElements {
        guard let counted = try StoreError.storing(self.part(of: part, views)) else { return nil }
        (part, cost) = counted
      }
      rest = rest.dropFirst(part.count)
      let found = try StoreError.storing(
        Round.members(
          of: part, missed.log, input.snapshot, views[0], allowed(views), scratch))
      members.merge(found) { $1 }
      await share?.spend(part.count * perObject + cost)
    }
    return members
  }

  /// The first ones of some objects, as many as have the elements for a turn and one at least, and
  /// the comparisons with these; nil if one of them has too many.
  private func part(
    of objects: ArraySlice<ObjectIdentity>, _ views: [View]
  ) throws(StorageError) -> (ArraySlice<ObjectIdentity>, Int)? {
    let limit = views.count * View.objectComparisonCountMax
    var (count, cost) = (0, 0)
    for object in objects {
      let elements = try View.elementCount(
        of: CollectionOfOne(object), by: views, in: input.snapshot.objects, limit: limit + 1)
      if elements > limit { return nil }
      if count > 0, cost + 2 * elements > SearchShare.comparisonCountMax { break }
      (count, cost) = (count + 1, cost + 2 * elements)
    }
    return (objects.prefix(count), cost)
  }

  private func round(
    _ views: [View], _ objects: [ObjectIdentity], _ members: [ObjectIdentity: Round.Member],
    _ selected: Bootstrap.Selected
  ) throws(StoreError) -> Round {
    guard let missed = input.missed else {
      return Round(ofNothingAfter: request.cursor, to: input.snapshot.head, file: request.file)
    }
    return try Round(
      missed, after: request.cursor, to: input.snapshot, timestamp: input.timestamp, view: views[0],
      next: allowed(views), due: request.next == nil ? nil : selected.after, file: request.file,
      unconfirmed: input.unconfirmedObjects, objects: objects, members: members, scratch: scratch)
  }
}
