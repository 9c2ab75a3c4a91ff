// SPDX-License-Identifier: Apache-2.0

// The changes between the versions that observers have seen and one newer version.

import RealmQuery
import RealmStorage
import RealmTables

/// The changes for some observers of a session, all up to the same version.
///
/// Invariants:
/// 1. `items` ascend by the numbers of the observations, as the entries of a hub do.
/// 2. Observers of a batch with `base` as their version and without an item are not concerned: they
///    only advance. A thousand of them cost one walk over the entries.
struct ChangeBatch: Sendable {
  /// The change for one observer, and the state that it has then seen.
  struct Item: Sendable {
    /// The number of the observation.
    let id: UInt64
    /// The version that the observer had seen; nil before its first call.
    let oldVersion: UInt64?
    let state: ObservedState?
    /// Nil if nothing happened that concerns the observer.
    let change: ObservedChange?
  }

  /// The cached answers about the table of the last observer: observers come in runs of one kind.
  private struct KnownTable: Sendable {
    let key: TableKey
    let base: UInt64
    let isUnaffected: Bool
    let changes: TableChanges?
    /// The objects that count as changed to observers without key paths; nil until first needed.
    var modified: Set<ObjectKey>?
  }

  let tables: TableGroup
  private(set) var items: [Item] = []
  /// Whether any observer is to be notified.
  private(set) var hasChanges = false
  /// The version that most observers had seen; nil before the first is added.
  private var base: TableGroup?
  private var baseVersion: UInt64?
  /// The highest number of the observers that the batch was made for.
  private var lastID: UInt64 = 0
  private var lastStep: VersionStep?
  private var lastTable: KnownTable?

  let version: UInt64

  init(for tables: TableGroup) {
    self.tables = tables
    version = tables.version
  }

  /// Computes the changes for those of the observers, ascending by their numbers, with an older
  /// version.
  mutating func add(_ entries: [ObserverEntry]) {
    unsafe entries.withUnsafeBufferPointer { entries in
      for index in entries.indices
      where unsafe ObserverEntry.isBehind(entries[index].seenVersion, version) {
        lastID = unsafe entries[index].id
        if base == nil, let state = unsafe entries[index].state {
          base = state.tables
          baseVersion = state.version
        }
        if let seen = unsafe entries[index].seenVersion, seen == baseVersion,
          unsafe isUnaffected(entries[index])
        {
          continue
        }
        let item = unsafe item(for: entries[index].observation, since: entries[index].state)
        if item.change != nil { hasChanges = true }
        assert(items.last.map { $0.id < item.id } ?? true, "`ChangeBatch` 1")
        items.append(item)
      }
    }
  }

  /// Whether an observer of `version` is not concerned; `item` is the position of the first item
  /// from its number on.
  func isUnaffected(_ id: UInt64, since version: UInt64?, _ item: inout Int) -> Bool {
    while item < items.count, items[item].id < id { item += 1 }
    guard let version, version == baseVersion, id <= lastID else { return false }
    return item == items.count || items[item].id != id
  }

  /// The change for an observer that has seen `state`, as computed before or now; `item` as above.
  mutating func item(
    _ observation: Observation, since state: ObservedState?, _ item: Int = .max
  ) -> Item {
    if item < items.count, items[item].id == observation.id,
      items[item].oldVersion == state?.version
    {
      return items[item]
    }
    return self.item(for: observation, since: state)
  }

  private mutating func item(for observation: Observation, since state: ObservedState?) -> Item {
    do throws(StorageError) {
      guard let state else {
        return Item(
          id: observation.id, oldVersion: nil,
          state: try observation.source.initialState(in: tables),
          change: observation.source.initialChange)
      }
      let step = try self.step(from: state)
      let (newState, change) = try observation.source.advance(
        state, by: step, filter: observation.filter)
      return Item(
        id: observation.id, oldVersion: state.version, state: newState, change: change)
    } catch {
      return Item(
        id: observation.id, oldVersion: state?.version, state: state,
        change: .failed(error))
    }
  }

  private mutating func step(from state: ObservedState) throws(StorageError) -> VersionStep {
    if let lastStep, lastStep.old === state.tables || lastStep.old.version == state.version {
      return lastStep
    }
    assert(state.version <= version, "`ObserverHub` 2: a batch for an older version")
    let step = try VersionStep(from: state.tables, to: tables)
    lastStep = step
    return step
  }

  // MARK: - Unaffected observers

  /// Whether it is certain that nothing concerns an observer; if it is not, its change is computed.
  private mutating func isUnaffected(_ entry: borrowing ObserverEntry) -> Bool {
    do throws(StorageError) {
      switch entry.scope {
      case .object(let table, let object):
        try know(table, since: entry)
        return lastTable?.isUnaffected == true || lastTable?.changes?.concerns(object) != true
      case .table(let table):
        try know(table, since: entry)
        if lastTable?.isUnaffected == true { return true }
        return try isUnaffected(resultsOf: entry)
      case .other: return false
      }
    } catch {
      // The error occurs again where it can be reported.
      return false
    }
  }

  /// Whether no modified object is in the results, and none can enter, leave or move.
  private mutating func isUnaffected(
    resultsOf entry: borrowing ObserverEntry
  ) throws(StorageError) -> Bool {
    let observation = entry.observation
    guard let footprint = observation.footprint, case .results(let query) = observation.source,
      query.isInSourceOrder, let state = entry.state, case .results(let result) = state.content
    else { return false }
    let step = try step(from: state)
    if lastTable?.changes.map({ footprint.mayMove(by: step.changes, own: $0) }) ?? true {
      return false
    }
    if let filter = observation.filter {
      return result.containsNone(of: try step.modified(in: query.table, filter: filter))
    }
    if lastTable?.modified == nil {
      lastTable?.modified = try step.modified(in: query.table, filter: nil)
    }
    return lastTable?.modified.map { result.containsNone(of: $0) } ?? false
  }

  private mutating func know(
    _ key: TableKey, since entry: borrowing ObserverEntry
  ) throws(StorageError) {
    if let known = lastTable?.key, known == key, lastTable?.base == entry.seenVersion { return }
    guard let state = entry.state else { return }
    let step = try step(from: state)
    lastTable = KnownTable(
      key: key, base: state.version, isUnaffected: try step.isUnaffected(key),
      changes: step.changes[key])
  }
}

extension TableChanges {
  /// Whether an object that the older version has was changed or deleted.
  fileprivate func concerns(_ object: ObjectKey) -> Bool {
    modifications[object] != nil || deleted.contains(object)
  }
}
