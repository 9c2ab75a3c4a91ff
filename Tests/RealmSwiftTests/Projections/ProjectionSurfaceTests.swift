// SPDX-License-Identifier: Apache-2.0

// What results of projections, and projected collections, offer as collections.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

@MainActor @Suite struct ProjectionSurfaceTests {
  private let realm: Realm
  private let person: Person

  init() throws {
    realm = try TemporaryRealm().open()
    let realm = realm
    person = try realm.write {
      realm.create(
        Person.self,
        value: ["id": 1, "name": "Ann", "dogs": [["name": "A"], ["name": "B", "age": 3]]])
    }
  }

  @Test func projectedCollections() throws {
    let names = Card(projecting: person).dogNames
    expectEqual(names.startIndex, 0)
    expectEqual(names.endIndex, 2)
    expectEqual(names.realm, realm)
    expectEqual(names, Card(projecting: person).dogNames)
    expectFalse(names.isInvalidated)
    expectEqual(names.index(matching: NSPredicate(format: "age == 3")), 1)
    expectTrue(names.description.hasSuffix("(\n\t[0] A,\n\t[1] B\n)"), "\(names)")
    try realm.write { realm.delete(person) }
    expectTrue(names.isInvalidated)
  }

  @Test func resultsOfProjections() throws {
    let cards = realm.objects(Card.self)
    expectEqual(cards.filter(NSPredicate(format: "name == 'Ann'")).first?.title, "Ann")
    var changes = 0
    let token = cards.observe(keyPaths: [\Card.title]) { change in
      if case .update = change { changes += 1 }
    }
    realm.refresh()
    try realm.write { person.nicknames.append("x") }
    realm.refresh()
    expectEqual(changes, 0)
    try realm.write { person.name = "Bea" }
    realm.refresh()
    expectEqual(changes, 1)
    token.invalidate()
  }
}
