// SPDX-License-Identifier: Apache-2.0

import Foundation
import RealmSwift
import RealmSwiftTestSupport
import TestExtensions
import Testing

/// Writing in the open transaction, or in one of its own.
struct WriteOrJoinTests {
  private struct Refusal: Error {}

  @Test func aloneItCommits() throws {
    let realm = try TemporaryRealm().open()
    let dog = try realm.writeOrJoin { realm.create(Dog.self, value: ["name": "Rex"]) }
    expectFalse(realm.isInWriteTransaction)
    expectEqual(dog.name, "Rex")
    #expect(throws: Refusal.self) {
      try realm.writeOrJoin {
        dog.name = "Bello"
        throw Refusal()
      }
    }
    expectEqual(dog.name, "Rex")
  }

  @Test func inATransactionItLeavesTheEndToIt() throws {
    let realm = try TemporaryRealm().open()
    try realm.write {
      try realm.writeOrJoin { realm.create(Dog.self) }
      expectTrue(realm.isInWriteTransaction)
      #expect(throws: Refusal.self) {
        try realm.writeOrJoin {
          realm.create(Dog.self)
          throw Refusal()
        }
      }
      expectTrue(realm.isInWriteTransaction)
    }
    expectEqual(realm.objects(Dog.self).count, 2)
    realm.beginWrite()
    try realm.writeOrJoin { realm.deleteAll() }
    realm.cancelWrite()
    expectEqual(realm.objects(Dog.self).count, 2)
  }
}
