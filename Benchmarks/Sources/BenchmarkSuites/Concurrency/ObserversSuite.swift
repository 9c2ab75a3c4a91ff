// SPDX-License-Identifier: Apache-2.0

// A commit beside observers that it does not concern.

package import BenchmarkSupport
import Foundation
import RealmSwift

/// The durable commit of one property, beside no observer and beside 1,000.
package final class ObserversSuite: Suite {
  private let context: SuiteContext
  private let realm: Realm
  private let other: Realm
  private let queue = DispatchQueue(label: "observers")
  private static let observerCount = 1000

  package init(_ context: SuiteContext) throws {
    self.context = context
    let file = context.folder.appending(path: "observers.realm")
    file.removeDatabase()
    let configuration = Realm.Configuration(
      fileURL: file, objectTypes: [RealmTodo.self, RealmNamedTodo.self])
    realm = try Realm(configuration: configuration)
    let realm = realm
    try realm.write {
      for index in 0..<1000 {
        let row = BenchmarkData.row(index)
        realm.add(RealmTodo(row))
        let named = RealmNamedTodo()
        (named.name, named.priority) = (row.name, row.priority)
        realm.add(named)
      }
    }
    let queue = queue
    other = try queue.sync { try Realm(configuration: configuration, queue: queue) }
  }

  package func measure(round: Int, _ report: inout Report) throws {
    let row = ReportRow(
      "observers", "durable commit of one property beside 1,000 observers", .microseconds,
      goals: [.times(1.5, of: "OpenRealm, no observer")])
    for turn in 0..<2 {
      let isObserved = (turn + round) % 2 == 1
      context.progress("round \(round + 1): \(isObserved ? "1,000 observers" : "no observer")")
      let tokens = isObserved ? observe() : []
      let updates = context.data.updates(round: round, count: context.durableCount)
      let seconds = try timed(row.title, expecting: updates.count) {
        for update in updates {
          try realm.write {
            realm.object(ofType: RealmTodo.self, forPrimaryKey: update.row % 1000)?.priority =
              update.priority
          }
        }
        return updates.count
      }
      for token in tokens { token.invalidate() }
      report.add(
        seconds / Double(updates.count), isObserved ? Report.ours : "OpenRealm, no observer",
        to: row)
    }
  }

  /// Observes objects of another class, each as a result of its own.
  private func observe() -> [NotificationToken] {
    queue.sync {
      let objects = other.objects(RealmNamedTodo.self)
      return (0..<Self.observerCount).map { number in
        objects.where { $0.priority >= number }.observe { _ in }
      }
    }
  }
}
