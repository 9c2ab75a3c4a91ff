// SPDX-License-Identifier: Apache-2.0

// The changes between what observers have seen and one version.

import RealmStorage
import RealmTables

/// The changes for some observers of a realm, all up to the same version.
struct ChangePackage: Sendable {
  /// What one observer is to be told, and what it has then seen.
  struct Item: Sendable {
    /// The version that the observer had seen; nil before its first call.
    let oldVersion: UInt64?
    let state: ObservedState?
    /// Nil if nothing happened that concerns the observer.
    let change: ObservedChange?
  }

  let tables: TableGroup
  private(set) var items: [UInt64: Item] = [:]
  /// The steps that were needed so far, by the version they start from: most observers of a realm
  /// have seen the same one.
  private var steps: [UInt64: VersionStep] = [:]

  init(for tables: TableGroup) { self.tables = tables }

  var version: UInt64 { tables.snapshot.version }

  /// Whether some observer is to be told something.
  var hasChanges: Bool { items.values.contains { $0.change != nil } }

  /// Computes the change for an observer that has seen `state`, or nothing if that is nil.
  mutating func add(_ observation: Observation, since state: ObservedState?) {
    items[observation.id] = item(for: observation, since: state)
  }

  /// The change for an observer that has seen `state`, as computed before or now.
  mutating func item(_ observation: Observation, since state: ObservedState?) -> Item {
    if let known = items[observation.id], known.oldVersion == state?.version {
      return known
    }
    add(observation, since: state)
    return items[observation.id] ?? item(for: observation, since: state)
  }

  private mutating func item(for observation: Observation, since state: ObservedState?) -> Item {
    do throws(StorageError) {
      guard let state else {
        return Item(
          oldVersion: nil, state: try observation.source.initialState(in: tables),
          change: observation.source.initialChange)
      }
      let step = try self.step(from: state)
      let (newState, change) = try observation.source.advance(
        state, by: step, filter: observation.filter)
      return Item(oldVersion: state.version, state: newState, change: change)
    } catch {
      return Item(oldVersion: state?.version, state: state, change: .failed(error))
    }
  }

  private mutating func step(from state: ObservedState) throws(StorageError) -> VersionStep {
    if let known = steps[state.version] { return known }
    let step = try VersionStep(from: state.tables, to: tables)
    steps[state.version] = step
    return step
  }
}
