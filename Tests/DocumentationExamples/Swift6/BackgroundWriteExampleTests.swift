// SPDX-License-Identifier: Apache-2.0

// The examples of the page about threading: writing in the background, and serial queues.

import Foundation
import RealmSwift
import RealmTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) nonisolated struct BackgroundWriteExampleTests {
  @Test func writingInTheBackground() async {
    await #expect(processExitsWith: .success) {
      let directory = try useDefaultRealm()
      defer { withExtendedLifetime(directory) {} }
      let gate = Gate()
      try await Self.startWritingInTheBackground(gate)
      await gate.wait()
    }
  }

  @MainActor
  private static func startWritingInTheBackground(_ gate: Gate) async throws {
    let realm = try await Realm()
    try realm.write { realm.add(Keeper(name: "Dachary")) }
    // Query for a specific person object on the main thread
    let people = realm.objects(Keeper.self)
    let thisPerson = people.where {
      $0.name == "Dachary"
    }.first
    // Perform an async write to add dogs to that person's dog list.
    // No need to pass a thread-safe reference or frozen object.
    realm.writeAsync {
      thisPerson?.pets.append(objectsIn: [
        Pet(value: ["name": "Ben", "age": 13]),
        Pet(value: ["name": "Lita", "age": 9]),
        Pet(value: ["name": "Maui", "age": 1]),
      ])
    } onComplete: { _ in
      // Confirm the three dogs were successfully added to the person's dogs list
      precondition(thisPerson!.pets.count == 3)
      // Query for one of the dogs we added and see that it is present
      let pets = realm.objects(Pet.self)
      let named = pets.where { $0.name == "Ben" }
      precondition(named.count == 1)
      gate.open()
    }
    precondition(realm.isPerformingAsynchronousWriteOperations)
  }

  @Test func committingAndCancellingExplicitly() async {
    await #expect(processExitsWith: .success) {
      let directory = try useDefaultRealm()
      defer { withExtendedLifetime(directory) {} }
      let gate = Gate()
      try await Self.beginExplicitly(gate)
      await gate.wait()
    }
  }

  @MainActor
  private static func beginExplicitly(_ gate: Gate) async throws {
    let realm = try await Realm()
    // A block that returns without a commit changes nothing.
    realm.beginAsyncWrite {
      realm.create(Pet.self, value: ["name": "Nobody"])
    }
    // The ID of a transaction that has not begun cancels it.
    let cancelled = realm.beginAsyncWrite {
      realm.create(Pet.self, value: ["name": "Never"])
      realm.commitAsyncWrite()
    }
    try realm.cancelAsyncWrite(cancelled)
    for name in ["Ben", "Lita"] {
      realm.beginAsyncWrite {
        realm.create(Pet.self, value: ["name": name])
        realm.commitAsyncWrite(allowGrouping: true)
      }
    }
    realm.beginAsyncWrite {
      realm.create(Pet.self, value: ["name": "Maui"])
      realm.commitAsyncWrite { error in
        precondition(error == nil)
        precondition(Set(realm.objects(Pet.self).map(\.name)) == ["Ben", "Lita", "Maui"])
        gate.open()
      }
    }
  }

  @Test func writingOnASerialQueue() async {
    await #expect(processExitsWith: .success) {
      let directory = try useDefaultRealm()
      defer { withExtendedLifetime(directory) {} }
      // Initialize a serial queue, and
      // perform realm operations on it
      let serialQueue = DispatchQueue(label: "serial-queue")
      @Sendable func useTheRealm() throws -> Int {
        let realm = try Realm(configuration: .defaultConfiguration, queue: serialQueue)
        // Do something with Realm on the non-main thread
        try realm.write { _ = realm.create(Errand.self, value: ["name": "Wait"]) }
        return realm.objects(Errand.self).count
      }
      let count = try await withCheckedThrowingContinuation { continuation in
        serialQueue.async { continuation.resume(with: Result { try useTheRealm() }) }
      }
      precondition(count == 1)
    }
  }

  @Test func refreshing() async {
    await #expect(processExitsWith: .success) {
      let directory = try useDefaultRealm()
      defer { withExtendedLifetime(directory) {} }
      let gate = Gate()
      Thread.detachNewThread {
        do {
          let realm = try Realm()
          precondition(realm.isEmpty)
          realm.autorefresh = false
          let other = Gate()
          Thread.detachNewThread {
            let realm = try? Realm()
            try? realm?.write { _ = realm?.create(Pet.self, value: ["name": "Ben"]) }
            other.open()
          }
          other.block()
          precondition(realm.isEmpty)
          if !realm.autorefresh {
            // Manually refresh
            realm.refresh()
          }
          precondition(realm.objects(Pet.self).count == 1)
          gate.open()
        } catch { preconditionFailure("\(error)") }
      }
      await gate.wait()
    }
  }
}
