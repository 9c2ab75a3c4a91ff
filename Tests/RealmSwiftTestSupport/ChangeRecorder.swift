// SPDX-License-Identifier: Apache-2.0

// Records what observers are notified of, and waits for it.

import Foundation
import RealmStorage
package import RealmSwift

/// A change that an observer of a collection was notified of.
package enum ToldChange: Equatable, Sendable {
  case initial(count: Int)
  case update(count: Int, deletions: [Int], insertions: [Int], modifications: [Int])
  case error

  package init<C: Collection>(_ change: RealmCollectionChange<C>) {
    switch change {
    case .initial(let collection): self = .initial(count: collection.count)
    case .update(let collection, let deletions, let insertions, let modifications):
      self = .update(
        count: collection.count, deletions: deletions, insertions: insertions,
        modifications: modifications)
    case .error: self = .error
    }
  }
}

/// Collects values from wherever observers are called.
package final class Recorder<Value: Sendable>: Sendable {
  private let values = Locked<[Value]>([])

  package init() {}

  package func add(_ value: Value) { values.withLock { $0.append(value) } }

  package var all: [Value] { values.withLock { $0 } }

  /// The values, once there are `count` of them, or what there is after some seconds.
  package func wait(for count: Int) async -> [Value] {
    for _ in 0..<15_000 where all.count < count { try? await Task.sleep(for: .milliseconds(2)) }
    return all
  }

  /// Waits so long that what was to come has come; for what must not come.
  package func settled() async -> [Value] {
    try? await Task.sleep(for: .milliseconds(60))
    return all
  }

  package func removeAll() { values.withLock { $0 = [] } }
}
