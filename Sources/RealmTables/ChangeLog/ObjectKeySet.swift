// SPDX-License-Identifier: Apache-2.0

// Sets of object keys that are cheap for the way keys are handed out: ascending, in runs.

import RealmStorage

/// A set of object keys.
///
/// Ascending keys are kept as runs of neighbours, so a million new objects take a few thousand
/// entries and no hashing. Others go to hash tables beside the runs, so no order of arrival costs
/// more than a hash insertion.
///
/// Invariants:
/// 1. `runs` are ascending, disjoint and not adjacent.
/// 2. `others` is disjoint from the runs, `holes` is a subset of them.
/// 3. No key of `others` is above the last run, which never shrinks.
package struct ObjectKeySet: Sendable {
  private struct Run: Sendable {
    var first: Int64
    var last: Int64
  }

  private var runs: [Run] = []
  private var others: Set<Int64> = []
  private var holes: Set<Int64> = []
  package private(set) var count = 0

  package init() {}

  package init(_ keys: some Sequence<ObjectKey>) {
    for key in keys { insert(key) }
  }

  package var isEmpty: Bool { count == 0 }

  /// Whether the key is in the set.
  package func contains(_ key: ObjectKey) -> Bool {
    let raw = key.rawValue
    if isInRuns(raw) { return holes.isEmpty || !holes.contains(raw) }
    return !others.isEmpty && others.contains(raw)
  }

  /// Adds a key; false if it was there.
  @discardableResult
  package mutating func insert(_ key: ObjectKey) -> Bool {
    let raw = key.rawValue
    guard let last = runs.last?.last, raw <= last else {
      // Invariant 3: nothing beyond the last run is in `others`.
      assert(!others.contains(raw) && !holes.contains(raw), "`ObjectKeySet` 3")
      if let last = runs.last?.last, raw == last &+ 1 {
        runs[runs.count &- 1].last = raw
      } else {
        runs.append(Run(first: raw, last: raw))
      }
      count &+= 1
      return true
    }
    let isNew = isInRuns(raw) ? holes.remove(raw) != nil : others.insert(raw).inserted
    if isNew { count &+= 1 }
    assert(!isInRuns(raw) || !others.contains(raw), "`ObjectKeySet` 2")
    return isNew
  }

  /// Takes a key out; false if it was not there.
  @discardableResult
  package mutating func remove(_ key: ObjectKey) -> Bool {
    let raw = key.rawValue
    let wasThere = isInRuns(raw) ? holes.insert(raw).inserted : others.remove(raw) != nil
    if wasThere { count &-= 1 }
    assert(count >= 0, "more keys were taken out than put in")
    return wasThere
  }

  /// The keys in ascending order.
  package func sorted() -> [ObjectKey] {
    var keys: [ObjectKey] = []
    keys.reserveCapacity(count)
    for run in runs {
      for raw in run.first...run.last where holes.isEmpty || !holes.contains(raw) {
        keys.append(ObjectKey(raw))
      }
    }
    if !others.isEmpty {
      for raw in others { keys.append(ObjectKey(raw)) }
      keys.sort()
    }
    assert(keys.count == count, "`ObjectKeySet` 2: each key is in one place")
    return keys
  }

  private func isInRuns(_ raw: Int64) -> Bool {
    guard let newest = runs.last, raw <= newest.last else { return false }
    if raw >= newest.first { return true }
    let low = (0..<runs.count).partitionPoint { runs[$0].last < raw }
    return low < runs.count && runs[low].first <= raw
  }
}

extension ObjectKeySet: Equatable {
  package static func == (left: ObjectKeySet, right: ObjectKeySet) -> Bool {
    left.count == right.count && left.sorted() == right.sorted()
  }
}

extension ObjectKeySet: ExpressibleByArrayLiteral {
  package init(arrayLiteral keys: ObjectKey...) { self.init(keys) }
}
