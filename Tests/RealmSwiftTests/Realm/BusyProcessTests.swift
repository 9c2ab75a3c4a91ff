// SPDX-License-Identifier: Apache-2.0

// Files that are used again right after their last realm, in a process with many realms.

import Foundation
import RealmSwift
import RealmSwiftTestSupport
import TestExtensions
import Testing

struct BusyProcessTests {
  /// How a file is used again after its last realm.
  private enum Reuse: Int, CaseIterable {
    case deletes, reopensForReading, deletesAfterAMigration
  }

  /// A process with many realms, whose other threads open the files at the same time: what they
  /// look at is a moment longer alive than the program keeps it.
  @Test(.heavy) func filesAreClosedSoonInABusyProcess() async throws {
    let others = try (0..<30).map { _ in try TemporaryRealm() }
    let queue = DispatchQueue(label: "others")
    let tokens = try others.map { try $0.open().objects(Person.self).observe(on: queue) { _ in } }
    let failures = await withCheckedContinuation { (done: CheckedContinuation<[String], Never>) in
      Thread {
        var failures: [String] = []
        for number in 0..<120 {
          let reuse = Reuse.allCases[number % 3]
          do {
            try Self.use(TemporaryRealm(), reuse, number)
            if number % 20 == 0 {
              let realm = try others[number % 30].open()
              try realm.write { realm.create(Person.self, value: ["id": number]) }
            }
          } catch {
            failures.append("\(number), \(reuse): \(error)")
          }
        }
        done.resume(returning: failures)
      }.start()
    }
    expectEqual(failures, [])
    for token in tokens { token.invalidate() }
  }

  /// Uses a file while other threads open it, and once more when its last realm is gone.
  private static func use(_ file: TemporaryRealm, _ reuse: Reuse, _ number: Int) throws {
    let configuration = file.configuration
    let onlookers = DispatchGroup()
    do {
      let realm = try file.open()
      for _ in 0..<3 {
        DispatchQueue.global().async(group: onlookers) {
          for _ in 0..<4 { _ = try? Realm(configuration: configuration).isEmpty }
        }
      }
      try realm.write { realm.create(Person.self, value: ["id": number]) }
    }
    // Until their last call has returned, the file is theirs, too.
    onlookers.wait()
    switch reuse {
    case .deletes: _ = try Realm.deleteFiles(for: configuration)
    case .reopensForReading:
      file.configuration.readOnly = true
      _ = try file.open().objects(Person.self).count
    case .deletesAfterAMigration:
      file.configuration.schemaVersion = 1
      file.configuration.migrationBlock = { migration, _ in
        migration.enumerateObjects(ofType: "Person") { _, new in new?["age"] = 1 }
      }
      let opened = DispatchSemaphore(value: 0)
      let queue = DispatchQueue(label: "callback")
      Realm.asyncOpen(configuration: file.configuration, callbackQueue: queue) { _ in
        opened.signal()
      }
      opened.wait()
      _ = try Realm.deleteFiles(for: file.configuration)
    }
  }
}
