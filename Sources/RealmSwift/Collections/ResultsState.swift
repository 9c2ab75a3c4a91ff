// SPDX-License-Identifier: Apache-2.0

// The definition of results, and their contents.
//
// Invariants:
// 1. Nothing is computed for results that are not read. What was computed is in `present`, and
//    holds until the data that the realm shows changes.
// 2. Results that are observed take what the observer has seen, or bring it up to date, instead of
//    running the query: a callback that reads its collection costs no more than the change.
// 3. Other results are made from `history` and the changes since then where that is cheaper.
// 4. Results of a frozen realm are used on many threads at once: `frozen` holds what they remember,
//    and the other variables stay as they are.
// 5. Results of a collection whose object is gone have no elements. Reading them never traps.

import RealmQuery
import RealmSession
import RealmStorage
import RealmTables

/// The definition of results and their present contents; shared by the copies of a `Results`.
final class ResultsState {
  enum Source {
    /// All objects of a class.
    case table
    /// The elements of a list.
    case list(ManagedCollection)
    /// The objects that link to one object through one property.
    case backlinks(BacklinkSource)
  }

  let core: RealmCore
  /// The class of the elements; nil if they are scalars.
  let info: ClassInfo?
  let source: Source
  /// The elements of the source that the results hold, and their order.
  var query: TableQuery {
    if let query = unsafe knownQuery { return query }
    return bindQuery()
  }
  /// The condition as it was written; nil for all elements.
  let written: RealmQuery.Predicate?
  /// The name of the subscription that these results were subscribed to last.
  var subscription: String?
  private var birth: UInt64
  // Confined as the realm is, and constant if that is frozen (`ResultsState` 4): checks of
  // exclusivity, of which a look-up by a condition would make five, could not find anything.
  @exclusivity(unchecked) private var present = Present()
  @exclusivity(unchecked) var history = ResultsHistory()
  /// The number of times that a count or a first element was found without the elements.
  @exclusivity(unchecked) private var partialReadCount = 0
  /// The numbers of the observations of these results.
  @exclusivity(unchecked) private var observations: [UInt64] = []
  private let frozen: FrozenContents?
  /// The whole condition of the results, if it is one equality.
  private let equality: PlainEquality?
  /// The query; nil until more is asked for than an index knows of `equality`.
  @exclusivity(unchecked) private var knownQuery: TableQuery?

  /// Contents or number of the elements for the data of one generation.
  private struct Present {
    var generation: UInt64 = 0
    var contents: _CollectionContents?
    var count: Int?
  }

  init(
    _ source: Source, _ core: RealmCore, _ info: ClassInfo?, _ query: TableQuery? = nil,
    written: RealmQuery.Predicate? = nil
  ) {
    self.source = source
    self.written = written
    unsafe knownQuery = query ?? TableQuery(info?.tableKey ?? .null)
    equality = nil
    self.core = core
    self.info = info
    birth = unsafe core.state.pointee.generation
    frozen = core.isFrozen ? FrozenContents() : nil
  }

  /// The objects of `whole` for which an equality holds.
  ///
  /// - Parameter whole: All objects of a class, in a realm that is not frozen: the query is bound
  ///   when it is needed (`ResultsState` 4).
  init(_ equality: PlainEquality, of whole: ResultsState, written: RealmQuery.Predicate) {
    assert(whole.isWholeTable && !whole.core.isFrozen, "`ResultsState` 4")
    source = .table
    self.written = written
    self.equality = equality
    core = whole.core
    info = whole.info
    birth = unsafe core.state.pointee.generation
    frozen = nil
  }

  @inline(never)
  private func bindQuery() -> TableQuery {
    let query = TableQuery(info?.tableKey ?? .null, where: equality?.bound)
    unsafe knownQuery = query
    return query
  }

  /// Whether these are all objects of a class.
  var isWholeTable: Bool {
    guard case .table = source, equality == nil, info != nil else { return false }
    return query.isEverything
  }

  /// Whether `present` is about the data that the realm shows.
  private var isPresentCurrent: Bool { unsafe present.generation == core.dataGeneration }

  private func note(contents: _CollectionContents) {
    assert(frozen == nil, "`ResultsState` 4")
    unsafe present = Present(generation: core.dataGeneration, contents: contents)
  }

  /// The identity of the results, independent of the realm.
  var definition: Locator {
    switch source {
    case .table:
      .results(query)
    case .list(let list):
      query.isEverything
        ? .list(list.definition)
        : .refinement(RefinementLocator(base: .list(list.definition), query: query))
    case .backlinks(let backlinks):
      query.isEverything
        ? .backlinks(backlinks.definition)
        : .refinement(RefinementLocator(base: .backlinks(backlinks.definition), query: query))
    }
  }

  /// The results that `definition` describes, in `core`; nil if they cannot exist there.
  ///
  /// - Parameter orGone: Whether results of a collection whose object does not exist are wanted,
  ///   too.
  static func local(
    _ definition: Locator, in core: RealmCore, of element: Any.Type, orGone: Bool
  ) -> ResultsState? {
    switch definition {
    case .results(let query):
      core.info(ofTable: query.table, for: element).map { ResultsState(.table, core, $0, query) }
    case .list(let list): local(.list(list), nil, in: core, of: element, orGone)
    case .backlinks(let backlinks):
      local(.backlinks(backlinks), nil, in: core, of: element, orGone)
    case .refinement(let refinement):
      local(refinement.base, refinement.query, in: core, of: element, orGone)
    case .object: nil
    }
  }

  private static func local(
    _ base: RefinementLocator.Base, _ query: TableQuery?, in core: RealmCore, of element: Any.Type,
    _ orGone: Bool
  ) -> ResultsState? {
    switch base {
    case .list(let list):
      ManagedCollection.local(list, in: core, of: element, orGone: orGone).map {
        ResultsState(.list($0), core, $0.info, query)
      }
    case .backlinks(let backlinks):
      BacklinkSource.local(backlinks, in: core, of: element, orGone: orGone).map {
        ResultsState(.backlinks($0), core, $0.origin, query)
      }
    }
  }

  /// Whether the realm was invalidated since the results were made.
  var isOfInvalidRealm: Bool { birth < core.firstValidGeneration || core.isFrozenAndInvalid }

  /// Whether the results cannot be used any more: of objects only if the realm was invalidated, of
  /// values also if the object that had them is gone.
  var isInvalidated: Bool { isOfInvalidRealm || (info == nil && isGone) }

  /// Whether the object is gone whose collection the results are of.
  var isGone: Bool {
    if isOfInvalidRealm { return false }
    return switch source {
    case .table: false
    case .list(let list): !list.isValid
    case .backlinks(let backlinks): !backlinks.isValid
    }
  }

  /// The elements as they are now.
  func contents() -> _CollectionContents {
    checkAccess()
    if let frozen {
      return searching(try frozen.contents(evaluate()), else: .empty(core, info))
    }
    if isPresentCurrent, let contents = unsafe present.contents { return contents }
    do throws(StorageError) {
      let contents = try presentContents()
      note(contents: contents)
      return contents
    } catch {
      meet(error)
      return .empty(core, info)
    }
  }

  /// Remembers the present elements in another form than they were found in.
  func replace(_ contents: _CollectionContents, by other: _CollectionContents) {
    if unsafe present.contents === contents { unsafe present.contents = other }
    unsafe history.replace(contents, by: other)
  }

  /// Checks that the caller may read the elements, and notes it if it tracks that.
  private func checkAccess() {
    core.checkIsolation()
    if core.isTracking { noteAccess() }
  }

  @inline(never)
  private func noteAccess() {
    guard !isOfInvalidRealm, let shown = core.shownTables else { return }
    core.observers?.tracker.noteElements(of: definition, at: shown)
  }

  private func presentContents() throws(StorageError) -> _CollectionContents {
    if isOfInvalidRealm { return .empty(core, info) }
    if let contents = try observedContents() { return contents }
    if let contents = try refreshedContents() { return contents }
    if let contents = try keptEvaluation() { return contents }
    return try evaluate()
  }

  /// Whether the results are the matches of a condition in a table, of which a number or the first
  /// one can be found without the others. What an observer has seen is taken instead.
  private var isPlainFilter: Bool {
    guard case .table = source else { return false }
    guard equality != nil || (query.condition != nil && query.steps.isEmpty) else {
      return false
    }
    return unsafe info != nil && !isOfInvalidRealm && observations.isEmpty
  }

  /// The number of elements; a filter alone is counted without finding the elements.
  var count: Int {
    guard isPlainFilter, let info else { return contents().count }
    checkAccess()
    if let frozen { return searching(try frozen.count(matchCount(info)), else: 0) }
    if let known = searching(try knownContents(), else: nil) { return known.count }
    if let count = unsafe present.count { return count }
    if isReadOften() { return contents().count }
    guard let count = searching(try matchCount(info), else: nil) else { return 0 }
    unsafe present = Present(generation: core.dataGeneration, count: count)
    return count
  }

  /// The key of the first element, and its row if that is known; nil if there is none. The first
  /// match of a filter alone is found without the others.
  func first() -> (key: ObjectKey, row: Row?)? {
    guard isPlainFilter, equality != nil || query.order == nil, let info, frozen?.loaded == nil
    else { return contents().first }
    checkAccess()
    if frozen == nil {
      if let known = searching(try knownContents(), else: nil) { return known.first }
      if unsafe present.count == nil, isReadOften() { return contents().first }
    }
    return searching(try firstMatch(info), else: nil)
  }

  private func firstMatch(
    _ info: ClassInfo
  ) throws(StorageError) -> (key: ObjectKey, row: Row?)? {
    let table = try info.table
    let found: (key: ObjectKey, row: Row?)?
    if let indexed = try equality?.indexed(in: table) {
      found = try indexed.first().map { ($0.key, $0.row) }
    } else {
      let tables = try core.tableReader()
      found = try trappingMistakes(query.firstMatch(of: table, in: tables))
    }
    // Rows move in a transaction, so the object is found by its key.
    return core.isInWrite ? found.map { ($0.key, nil) } : found
  }

  private func matchCount(_ info: ClassInfo) throws(StorageError) -> Int {
    let table = try info.table
    if let indexed = try equality?.indexed(in: table) { return try indexed.count() }
    let tables = try core.tableReader()
    return try trappingMistakes(query.matchCount(of: table, in: tables))
  }

  /// The elements, if they are known without running the query.
  private func knownContents() throws(StorageError) -> _CollectionContents? {
    if !isPresentCurrent { unsafe present = Present(generation: core.dataGeneration) }
    if let contents = unsafe present.contents { return contents }
    return unsafe history.isEmpty ? nil : try refreshedContents()
  }

  /// Notes that a count or a first element is asked for, and says whether that happens so often
  /// that finding all elements pays: the states that follow are made from them.
  private func isReadOften() -> Bool {
    assert(frozen == nil, "`ResultsState` 4")
    unsafe partialReadCount &+= 1
    guard unsafe partialReadCount > 4 else { return false }
    unsafe partialReadCount = 0
    return true
  }

  /// The results are observed from now on.
  func note(_ observation: Observation) {
    if !query.isEverything { unsafe observations.append(observation.id) }
  }

  /// Prepares for telling an observer of `change`: after the realm was invalidated, observers live
  /// on, and what they observe is usable again from their next call on.
  func willReport(_ change: ObservedChange) {
    if isOfInvalidRealm, frozen == nil {
      birth = core.firstValidGeneration
      unsafe present = Present()
      unsafe history = ResultsHistory()
    }
    guard case .list(let list) = source else { return }
    if query.isEverything { list.willReport(change) } else { list.revive() }
  }

  /// The state that an observer has seen, brought to the version that the realm shows; nil if
  /// there is none.
  private func observedContents() throws(StorageError) -> _CollectionContents? {
    guard unsafe !observations.isEmpty, !core.isInWrite, let hub = core.observers?.hub else {
      return nil
    }
    let shown = try core.readableTables()
    while let id = unsafe observations.last {
      guard let entry = hub.entry(of: id) else {
        unsafe observations.removeLast()
        continue
      }
      guard let seen = entry.state, seen.version <= shown.version else { return nil }
      if seen.version == shown.version { return try contents(of: seen) }
      let step = try VersionStep(from: seen.tables, to: shown)
      return try contents(of: definition.advance(seen, by: step, filter: nil).0)
    }
    return nil
  }

  private func contents(of seen: ObservedState) throws(StorageError) -> _CollectionContents? {
    switch seen.content {
    case .results(let state):
      if let keys = state.keys {
        try _CollectionContents(.chunkedKeys(keys), core, info)
      } else {
        nil
      }
    case .refinement(.keys(let keys)): try _CollectionContents(.keys(keys), core, info)
    case .refinement(.values(let values)): try _CollectionContents(.values(values), core, nil)
    case .list, .backlinks, .nothing: nil
    }
  }

  /// Finds the elements by running the query.
  func evaluate() throws(StorageError) -> _CollectionContents {
    let all = try sourceContents()
    if query.isEverything { return all }
    guard let info else {
      let values = try all.values()
      return try _CollectionContents(
        .values(trappingMistakes(query.values(among: values))), core, nil)
    }
    let (table, tables) = try shown(info)
    let keys: [ObjectKey]
    if case .table = source {
      keys = try trappingMistakes(query.keys(of: table, in: tables))
    } else {
      let elements = try all.keys()
      keys = try trappingMistakes(query.keys(among: elements, of: table, in: tables))
    }
    return try _CollectionContents(.keys(keys), core, info)
  }

  /// Checks that the query fits the schema.
  func checkQuery() throws(QueryError) {
    let (table, tables) = try QueryError.storing((info?.table, core.tableReader()))
    try query.check(against: table, of: tables)
  }

  /// Traps if an order does not fit the schema.
  func check(_ order: SortOrder) {
    guard let info, !isOfInvalidRealm else { return }
    searching(try check(order, info), else: ())
  }

  private func check(_ order: SortOrder, _ info: ClassInfo) throws(StorageError) {
    let (table, tables) = try shown(info)
    try trappingMistakes(order.check(against: table, of: tables))
  }

  /// The steps that find the elements, a line for each.
  func explanation() -> [String] {
    checkAccess()
    return searching(try presentExplanation(), else: [])
  }

  private func presentExplanation() throws(StorageError) -> [String] {
    guard let info else {
      if case .table = source { return ["elements: none, as the file has no such class"] }
      return query.explanation(ofValues: try sourceContents().count)
    }
    let (table, tables) = try shown(info)
    if case .table = source {
      return try trappingMistakes(query.explanation(in: table, of: tables))
    }
    let count = try sourceContents().count
    return try trappingMistakes(query.explanation(ofCollection: count, in: table, of: tables))
  }

  /// The objects of the table that match the condition.
  func selection(_ info: ClassInfo) throws(StorageError) -> Selection {
    let (table, tables) = try shown(info)
    return try trappingMistakes(
      Selection(query.condition ?? .constant(true), in: table, of: tables))
  }

  /// The table of the elements and those that links lead to, as the realm shows them.
  private func shown(
    _ info: ClassInfo
  ) throws(StorageError) -> (table: Table, tables: any TableReader) {
    (try info.table, try core.tableReader())
  }

  private func sourceContents() throws(StorageError) -> _CollectionContents {
    switch source {
    case .table:
      guard let info else { return try _CollectionContents(.keys([]), core, nil) }
      return try _CollectionContents(.table(info.table), core, info)
    case .list(let list): return list.presentContents() ?? .empty(core, info)
    case .backlinks(let backlinks):
      return try _CollectionContents(.keys(backlinks.keys()), core, info)
    }
  }
}

extension RealmCore {
  /// The tables that the links of queries lead to, as the realm shows them.
  func tableReader() throws(StorageError) -> any TableReader {
    if let transaction { transaction } else { try readableTables() }
  }
}

extension _CollectionContents {
  fileprivate var first: (key: ObjectKey, row: Row?)? { count == 0 ? nil : (key(at: 0), nil) }
}
