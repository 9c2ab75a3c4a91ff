// SPDX-License-Identifier: Apache-2.0

import Foundation
import RealmSwift
import RealmSwiftTestSupport
import TestExtensions
import Testing

/// Programs that release what a loop made compile everywhere.
struct AutoreleasePoolTests {
  private struct Refusal: Error {}

  @Test func theBodyRuns() throws {
    let realm = try TemporaryRealm().open()
    let dog = try autoreleasepool {
      try realm.write { realm.create(Dog.self, value: ["name": "Rex"]) }
    }
    expectEqual(dog.name, "Rex")
    #expect(throws: Refusal.self) { try autoreleasepool { throw Refusal() } }
  }
}
