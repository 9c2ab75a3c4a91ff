// SPDX-License-Identifier: Apache-2.0

// What results are of, and what they hold at the moment.
//
// Invariants:
// 1. `contents()` is evaluated when asked for and remembered until the data changes; nothing is
//    computed for results that nobody looks at.
// 2. What an observer of the results has seen is taken over, or brought up to date, instead of
//    evaluating them: a callback that looks at its collection costs no more than the change.
// 3. What was found is kept, and later states are made from it and the changes since then where
//    that is cheaper than a new query. It holds no version of the file. What was found within a
//    write transaction is kept besides, as the transaction may be undone.
// 4. Results of a frozen realm are used on many threads at once: `frozen` holds what they remember,
//    and the other variables stay as they are.

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
  /// Which elements of the source the results hold, and in which order.
  let request: ResultsRequest
  private let birth: UInt64
  private var cached: _CollectionContents?
  private var cachedGeneration: UInt64 = 0
  /// What was found last outside of write transactions.
  var settled: Settled?
  /// What was found last in the open write transaction.
  var settledWhileWriting: Settled?
  /// How often a number or a first element was found without the elements, since these were.
  private var passingLooks = 0
  /// How often the elements were found by a query.
  var evaluationCount = 0
  private var cachedCount = 0
  private var cachedCountGeneration: UInt64 = 0
  /// The numbers of the observations of these results.
  private var observations: [UInt64] = []
  private let frozen: FrozenContents?

  init(
    _ source: Source, _ core: RealmCore, _ info: ClassInfo?,
    _ request: ResultsRequest = ResultsRequest()
  ) {
    self.source = source
    self.request = request
    self.core = core
    self.info = info
    birth = core.state.pointee.generation
    frozen = core.isFrozen ? FrozenContents() : nil
  }

  /// What the results are, in terms of the file.
  var definition: Locator {
    switch source {
    case .table:
      .results(request.query(of: info?.tableKey ?? .null))
    case .list(let list):
      request.isEverything
        ? .list(list.definition)
        : .refinement(RefinementLocator(base: .list(list.definition), request: request))
    case .backlinks(let backlinks):
      request.isEverything
        ? .backlinks(backlinks.definition)
        : .refinement(RefinementLocator(base: .backlinks(backlinks.definition), request: request))
    }
  }

  /// The results that `definition` describes, in `core`; nil if they cannot exist there.
  static func local(
    _ definition: Locator, in core: RealmCore, of element: Any.Type
  ) -> ResultsState? {
    switch definition {
    case .results(let query):
      let request = ResultsRequest(
        predicate: query.predicate, order: query.order, rest: query.rest)
      return core.info(ofTable: query.table, for: element).map {
        ResultsState(.table, core, $0, request)
      }
    case .list(let list): return local(.list(list), ResultsRequest(), in: core, of: element)
    case .backlinks(let backlinks):
      return local(.backlinks(backlinks), ResultsRequest(), in: core, of: element)
    case .refinement(let refinement):
      return local(refinement.base, refinement.request, in: core, of: element)
    case .object: return nil
    }
  }

  private static func local(
    _ base: RefinementLocator.Base, _ request: ResultsRequest, in core: RealmCore,
    of element: Any.Type
  ) -> ResultsState? {
    switch base {
    case .list(let list):
      ManagedCollection.local(list, in: core, of: element).map {
        ResultsState(.list($0), core, $0.info, request)
      }
    case .backlinks(let backlinks):
      BacklinkSource.local(backlinks, in: core, of: element).map {
        ResultsState(.backlinks($0), core, $0.origin, request)
      }
    }
  }

  /// Whether the realm was invalidated since the results were made.
  var isInvalidated: Bool {
    birth < core.firstValidGeneration || core.isFrozenAndInvalid
  }

  /// The elements as they are now.
  func contents() -> _CollectionContents {
    checkAccess()
    if let frozen {
      do throws(StorageError) { return try frozen.contents(evaluate) } catch { stop(error) }
    }
    if let cached, cachedGeneration == core.dataGeneration { return cached }
    do throws(StorageError) {
      let contents = try presentContents()
      cached = contents
      cachedGeneration = core.dataGeneration
      return contents
    } catch { stop(error) }
  }

  /// Remembers the present elements in another form than they were found in.
  func replace(_ contents: _CollectionContents, by other: _CollectionContents) {
    if cached === contents { cached = other }
    if settled?.contents === contents { settled?.contents = other }
    if settledWhileWriting?.contents === contents { settledWhileWriting?.contents = other }
  }

  /// Checks that the caller may look at the elements, and notes it if it tracks that.
  private func checkAccess() {
    core.checkIsolation()
    if core.isTracking { noteAccess() }
  }

  @inline(never)
  private func noteAccess() {
    guard !isInvalidated, let shown = core.shownTables else { return }
    core.observers?.tracker.noteElements(of: definition, at: shown)
  }

  private func presentContents() throws(StorageError) -> _CollectionContents {
    if isInvalidated { return try _CollectionContents(.keys([]), core, info) }
    if let contents = try observedContents() { return contents }
    if let contents = try refreshedContents() { return contents }
    if let contents = try settledEvaluation() { return contents }
    return try evaluate()
  }

  /// The number of elements; a filter alone is counted without finding the elements.
  var count: Int {
    guard case .table = source, let predicate = request.predicate, request.rest.isEmpty, let info,
      !isInvalidated, observations.isEmpty
    else { return contents().count }
    checkAccess()
    if let frozen {
      do throws(StorageError) {
        return try frozen.count { () throws(StorageError) in
          try selection(predicate, info).count()
        }
      } catch { stop(error) }
    }
    if let cached, cachedGeneration == core.dataGeneration { return cached.count }
    do throws(StorageError) {
      if let contents = try refreshedContents() { return contents.count }
    } catch { stop(error) }
    if looksOften() { return contents().count }
    if cachedCountGeneration != core.dataGeneration {
      do throws(StorageError) {
        cachedCount = try selection(predicate, info).count()
        cachedCountGeneration = core.dataGeneration
      } catch { stop(error) }
    }
    return cachedCount
  }

  /// The key of the first element, nil if there is none: the first match of a filter alone is found
  /// without the others.
  func firstKey() -> ObjectKey? {
    guard case .table = source, let predicate = request.predicate, request.isFilter, let info,
      !isInvalidated, observations.isEmpty, frozen?.loaded == nil,
      cached == nil || cachedGeneration != core.dataGeneration
    else {
      let contents = contents()
      return contents.count == 0 ? nil : contents.key(at: 0)
    }
    checkAccess()
    do throws(StorageError) {
      if let contents = try refreshedContents() {
        return contents.count == 0 ? nil : contents.key(at: 0)
      }
    } catch { stop(error) }
    if looksOften() {
      let contents = contents()
      return contents.count == 0 ? nil : contents.key(at: 0)
    }
    do throws(StorageError) { return try selection(predicate, info).first() } catch { stop(error) }
  }

  /// Whether to find all elements for somebody who asks for less, as it would be done again and
  /// again, and states that follow are made from them.
  private func looksOften() -> Bool {
    guard frozen == nil, cachedCountGeneration != core.dataGeneration else { return false }
    passingLooks &+= 1
    guard passingLooks > 4 else { return false }
    passingLooks = 0
    return true
  }

  /// The results are observed from now on.
  func note(_ observation: Observation) {
    if !request.isEverything { observations.append(observation.id) }
  }

  /// What an observer has seen of the results, brought to the version that the realm shows; nil if
  /// there is none.
  private func observedContents() throws(StorageError) -> _CollectionContents? {
    guard !observations.isEmpty, !core.isInWrite, let hub = core.observers?.hub else { return nil }
    let shown = try core.readableTables()
    while let id = observations.last {
      guard let entry = hub.entry(of: id) else {
        observations.removeLast()
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
      try state.keys.map { (keys) throws(StorageError) in
        try _CollectionContents(.chunkedKeys(keys), core, info)
      }
    case .refinement(.keys(let keys)): try _CollectionContents(.keys(keys), core, info)
    case .refinement(.values(let values)): try _CollectionContents(.values(values), core, nil)
    case .list, .backlinks, .nothing: nil
    }
  }

  func evaluate() throws(StorageError) -> _CollectionContents {
    let all = try sourceContents()
    if request.isEverything { return all }
    guard let info else {
      return try _CollectionContents(.values(request.applied(to: all.values())), core, nil)
    }
    let keys = try unwrappingQueryErrors { () throws(QueryError) in
      let table = try self.table(info)
      let source = try self.core.tableSource()
      if case .table = self.source {
        return try self.request.query(of: info.tableKey).keys(of: table, in: source)
      }
      return try self.request.applied(to: self.keys(of: all), of: table, in: source)
    }
    return try _CollectionContents(.keys(keys), core, info)
  }

  private func keys(of contents: _CollectionContents) throws(QueryError) -> [ObjectKey] {
    do throws(StorageError) { return try contents.keys() } catch { throw .storage(error) }
  }

  /// - Throws: `QueryError` if the request does not fit the schema.
  func checkRequest() throws(QueryError) {
    guard let info else { return try ValueSteps.check(request.steps) }
    try request.query(of: info.tableKey).check(against: table(info), of: core.tableSource())
  }

  /// Ends the process if an order does not fit the schema.
  func check(_ order: SortOrder) {
    guard let info, !isInvalidated else { return }
    do throws(StorageError) {
      try unwrappingQueryErrors { () throws(QueryError) in
        try order.check(against: self.table(info), of: self.core.tableSource())
      }
    } catch { stop(error) }
  }

  /// What is done to find the elements, a line for each step.
  func explanation() -> [String] {
    checkAccess()
    do throws(StorageError) {
      guard let info else {
        if case .table = source { return ["elements: none, as the file has no such class"] }
        return ValueSteps.explanation(request.steps, count: try sourceContents().count)
      }
      if case .table = source {
        return try unwrappingQueryErrors { () throws(QueryError) in
          try self.request.query(of: info.tableKey)
            .explanation(in: self.table(info), of: self.core.tableSource())
        }
      }
      let count = try sourceContents().count
      return try unwrappingQueryErrors { () throws(QueryError) in
        try self.request.query(of: info.tableKey).explanation(
          ofCollection: count, in: self.table(info), of: self.core.tableSource())
      }
    } catch { stop(error) }
  }

  func selection(
    _ predicate: Predicate, _ info: ClassInfo
  ) throws(StorageError) -> Selection {
    try unwrappingQueryErrors { () throws(QueryError) in
      try Selection(predicate, in: self.table(info), of: self.core.tableSource())
    }
  }

  private func table(_ info: ClassInfo) throws(QueryError) -> Table {
    do throws(StorageError) { return try info.table } catch { throw .storage(error) }
  }

  private func sourceContents() throws(StorageError) -> _CollectionContents {
    switch source {
    case .table:
      guard let info else { return try _CollectionContents(.keys([]), core, nil) }
      return try _CollectionContents(.table(info.table), core, info)
    case .list(let list): return list.contents()
    case .backlinks(let backlinks):
      return try _CollectionContents(.keys(backlinks.keys()), core, info)
    }
  }
}

/// Ends the process if a query does not fit the schema; the text says how.
func unwrappingQueryErrors<R>(
  _ body: () throws(QueryError) -> R
) throws(StorageError) -> R {
  do throws(QueryError) {
    return try body()
  } catch {
    switch error {
    case .invalid(let text): throwRealmException(text)
    case .storage(let error): throw error
    }
  }
}

extension RealmCore {
  /// Where queries find the tables that links lead to: as the realm shows them.
  func tableSource() throws(QueryError) -> any TableSource {
    if let transaction { return transaction }
    do throws(StorageError) { return try readableTables() } catch { throw .storage(error) }
  }
}
