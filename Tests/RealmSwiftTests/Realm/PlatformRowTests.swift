// SPDX-License-Identifier: Apache-2.0

// Names that programs for other platforms use.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

@Suite("Coverage 21, 22: names of other platforms") struct PlatformRowTests {
  @Test func castsGiveTheValue() async {
    let number: Int = dynamicBridgeCast(fromObjectiveC: 5)
    let text: String? = dynamicBridgeCast(fromObjectiveC: "x")
    expectEqual(number, 5)
    expectEqual(text, "x")
    expectEqual(dynamicBridgeCast(fromSwift: 1.5) as? Double, 1.5)
    await #expect(processExitsWith: .success) {
      let said = Traps.text { let _: Int = dynamicBridgeCast(fromObjectiveC: "x") }
      expectEqual(said, "Could not convert value 'x' to type 'Int'.")
    }
  }

  @Test func statesOfOpening() throws {
    let realm = try TemporaryRealm().open()
    let states: [AsyncOpenState] = [
      .connecting, .waitingForUser, .progress(Progress(totalUnitCount: 3)), .open(realm),
      .error(Realm.Error(.fileAccess)),
    ]
    let texts = states.map { state in
      switch state {
      case .connecting: "connecting"
      case .waitingForUser: "waiting"
      case .open(let realm): "open \(realm.isFrozen)"
      case .progress(let progress): "\(progress.totalUnitCount)"
      case .error(let error): "\((error as? Realm.Error)?.code.rawValue ?? 0)"
      }
    }
    expectEqual(texts, ["connecting", "waiting", "3", "open false", "2"])
  }

  @Test func texts() async {
    await #expect(processExitsWith: .success) {
      let skipped = Traps.text {
        let queue = DispatchQueue(label: "here")
        try queue.sync {
          let configuration = Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString, objectTypes: [Person.self, Dog.self])
          let realm = try Realm(configuration: configuration, queue: queue)
          let token = realm.objects(Person.self).observe { _ in }
          try realm.commitWrite(withoutNotifying: [token])
        }
      }
      expectEqual(
        skipped,
        "Suppressing the notification from a write transaction must be done from inside the "
          + "write transaction.")
    }
  }
}
