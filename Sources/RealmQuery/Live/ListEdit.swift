// SPDX-License-Identifier: Apache-2.0

// A step of one list of keys that stand in an order.
//
// Objects that did not change are still in the list and keep their order among each other. The
// changed ones are taken out and put in where they belong now.

import RealmStorage
import RealmTables

/// The keys that are taken out of a list and put into it, and where.
struct ListEdit {
  let list: ChunkedKeys
  /// The positions of what is taken out, ascending.
  let removed: [Int]
  let kept: KeptKeys
  /// The keys that are put in, in order; a gap is the number of kept keys in front.
  private(set) var arrivals: [(gap: Int, key: ObjectKey)] = []

  /// - Parameters:
  ///   - leaving: All that may have to be taken out, ascending.
  ///   - arriving: What is to be put in, in any order.
  ///   - old: The order in the version that the list is from; nil if that is not at hand.
  ///   - new: The order in the version of the step's end.
  init(
    _ list: ChunkedKeys, leaving: [ObjectKey], arriving: [ObjectKey], from old: RowOrder?,
    to new: RowOrder
  ) throws(StorageError) {
    self.list = list
    removed = try list.positions(of: leaving, isAscending: new.isByKey, old)
    kept = KeptKeys(list, removed: removed)
    for key in try new.sorted(arriving) { arrivals.append((try new.gap(of: key, in: kept), key)) }
  }

  /// The number of keys after the step.
  var count: Int { kept.count + arrivals.count }

  /// The list after the step.
  var result: ChunkedKeys { list.replacing(removed: removed, with: arrivals) }

  /// The positions of the arrivals after the step, ascending.
  var arrivalPositions: [Int] { arrivals.indices.map { arrivals[$0].gap + $0 } }

  /// Forgets arrivals after all keys that stay, as they are unknown when the list is the beginning
  /// of a longer one: others, which are not known, may come before it.
  mutating func dropArrivalsAtTheEnd() {
    while let last = arrivals.last, last.gap == kept.count { arrivals.removeLast() }
  }
}
