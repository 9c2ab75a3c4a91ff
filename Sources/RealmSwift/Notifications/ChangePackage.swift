// SPDX-License-Identifier: Apache-2.0

// The changes between what observers have seen and one version.

import RealmStorage
import RealmTables

/// The changes for some observers of a realm, all up to the same version.
///
/// Invariants:
/// 1. `items` ascend by the numbers of the observations, as the entries of a hub do: a thousand
///    observers that are not concerned cost one walk over both.
struct ChangePackage: Sendable {
  /// What one observer is to be told, and what it has then seen.
  struct Item: Sendable {
    /// The number of the observation.
    let id: UInt64
    /// The version that the observer had seen; nil before its first call.
    let oldVersion: UInt64?
    let state: ObservedState?
    /// Nil if nothing happened that concerns the observer.
    let change: ObservedChange?
  }

  let tables: TableGroup
  private(set) var items: [Item] = []
  /// Whether some observer is to be told something.
  private(set) var hasChanges = false
  /// The steps that were needed so far, by the version they start from: most observers of a realm
  /// have seen the same one.
  private var steps: [UInt64: VersionStep] = [:]

  init(for tables: TableGroup) { self.tables = tables }

  var version: UInt64 { tables.snapshot.version }

  /// Computes the change for an observer that has seen `state`, or nothing if that is nil. To be
  /// called with observers in the order of their numbers.
  mutating func add(_ observation: Observation, since state: ObservedState?) {
    let item = item(for: observation, since: state)
    if item.change != nil { hasChanges = true }
    items.append(item)
  }

  /// The change for an observer that has seen `state`, as computed before or now.
  mutating func item(_ observation: Observation, since state: ObservedState?) -> Item {
    if let known = known(observation.id), known.oldVersion == state?.version { return known }
    return item(for: observation, since: state)
  }

  private func known(_ id: UInt64) -> Item? {
    var low = 0
    var high = items.count
    while low < high {
      let middle = (low + high) / 2
      if items[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low < items.count && items[low].id == id ? items[low] : nil
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
    if let known = steps[state.version] { return known }
    let step = try VersionStep(from: state.tables, to: tables)
    steps[state.version] = step
    return step
  }
}
