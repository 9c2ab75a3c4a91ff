// SPDX-License-Identifier: Apache-2.0

// Members that programs written for the original use.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

private class Ticket: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted var numbers: List<Int>
  @Persisted var tags: MutableSet<String>
  @Persisted var scores: Map<String, Int>
  @Persisted var friends: Map<String, Ticket?>
  @Persisted var mixed: List<AnyRealmValue>
  @Persisted(originProperty: "parent") var children: LinkingObjects<Ticket>
  @Persisted var parent: Ticket?
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Another class for the same table.
private class TicketName: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  override class func _realmObjectName() -> String? { "Ticket" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Objects that are equal by name.
private class Named: Object {
  @Persisted var name: String
  override func isEqual(_ object: Any?) -> Bool { (object as? Named)?.name == name }
  override var hash: Int { name.hashValue }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct MemberTests {
  private let file: TemporaryRealm
  private let realm: Realm
  private let ticket: Ticket

  init() throws {
    file = try TemporaryRealm([Ticket.self])
    realm = try file.open()
    ticket = Ticket(value: ["id": 1, "name": "one", "numbers": [3, 1, 3], "tags": ["a", "b"]])
    try realm.write { [realm, ticket] in
      realm.add(ticket)
      ticket.scores["x"] = 5
      ticket.friends["me"] = ticket
      ticket.mixed.append(objectsIn: [.int(1), .string("s")])
      ticket.parent = ticket
    }
  }

  private func type<T: _RealmSchemaDiscoverable>(of _: T.Type) -> PropertyType { T._shape.type }

  @Test func typesThatMakeProperties() {
    expectEqual(type(of: Int.self), .int)
    expectEqual(type(of: String?.self), .string)
    expectEqual(type(of: List<Double>.self), .double)
    expectEqual(type(of: Ticket?.self), .object)
  }

  @Test func twoClassesShowOneTable() throws {
    expectEqual(TicketName.className(), "Ticket")
    expectTrue(Ticket._realmObjectName() == nil)
    let other = try TemporaryRealm([TicketName.self])
    let short = try other.open()
    try short.write { _ = short.create(TicketName.self, value: [7, "seven"]) }
    expectEqual(short.schema.objectSchema.map(\.className), ["Ticket"])
    expectEqual(short.dynamicObjects("Ticket").count, 1)
    expectEqual(short.objects(TicketName.self).where { $0.name == "seven" }.first?.id, 7)
  }

  @Test func everyElementIsCutIntoSections() {
    let parity = ticket.numbers.sectioned(by: { $0 % 2 == 0 ? "even" : "odd" }, ascending: false)
    #expect(parity.allKeys == ["odd"] && parity[0].map { $0 } == [3, 3, 1])
    let kinds = ticket.mixed.sectioned { $0.intValue == nil ? "text" : "number" }
    expectEqual(kinds.allKeys, ["number", "text"])
    func sections<C: RealmCollection>(_ collection: C) -> [String] {
      collection.sectioned(by: { "\($0)" }, ascending: true).allKeys
    }
    expectEqual(sections(ticket.tags), ["a", "b"])
  }

  @Test func untypedValuesOfMaps() {
    let score: AnyObject? = ticket.scores.object(forKey: "x" as AnyObject)
    let value: AnyObject? = ticket.scores.value(forKey: "x")
    expectEqual(score as? Int, 5)
    expectEqual(value as? Int, 5)
    #expect(ticket.scores.object(forKey: "y" as AnyObject) == nil)
    let name: AnyObject? = ticket.friends.value(forKeyPath: "me.parent.name")
    expectEqual(name as? String, "one")
    expectEqual(ticket.friends.value(forKeyPath: "me") as? Ticket, ticket)
    expectTrue(ticket.friends.value(forKeyPath: "nobody.name") == nil)
    expectEqual(ticket.scores.value(forKeyPath: "@sum.self") as? Int, 5)
  }

  @Test func collectionsAreComparedUntyped() {
    let numbers = ticket.numbers
    expectTrue(numbers.isEqual(ticket.numbers))
    expectEqual(numbers.hash, ticket.numbers.hash)
    expectFalse(numbers.isEqual(List<Int>()))
    expectFalse(numbers.isEqual(nil))
    expectFalse(numbers.isEqual("x"))
    expectTrue(ticket.tags.isEqual(ticket.tags))
    expectEqual(ticket.tags.hash, ticket.tags.hash)
    expectTrue(ticket.scores.isEqual(ticket.scores))
    expectEqual(ticket.scores.hash, ticket.scores.hash)
    expectFalse(ticket.scores.isEqual(ticket.tags))
    expectTrue(ticket.friends.hash != ticket.scores.hash)
    let results = realm.objects(Ticket.self)
    expectTrue(results.isEqual(results))
    expectEqual(results.hash, results.hash)
    #expect(!results.isEqual(realm.objects(Ticket.self).where { $0.id == 1 }))
    expectTrue(ticket.children.isEqual(ticket.children))
    expectEqual(ticket.children.hash, ticket.children.hash)
    let erased = AnyRealmCollection(numbers)
    expectTrue(erased.isEqual(AnyRealmCollection(ticket.numbers)))
    expectFalse(erased.isEqual(numbers))
    expectEqual(erased.hash, AnyRealmCollection(ticket.numbers).hash)
    let (left, right) = (List<Int>(), List<Int>())
    left.append(1)
    right.append(1)
    expectTrue(left.isEqual(right))
    expectEqual(left.hash, right.hash)
  }

  @Test func objectsAreComparedUntyped() throws {
    let same = try #require(realm.object(ofType: Ticket.self, forPrimaryKey: 1))
    expectTrue(ticket.isEqual(same))
    expectEqual(ticket.hash, same.hash)
    expectEqual(ticket.hashValue, same.hashValue)
    let (left, right) = (Named(value: ["name": "n"]), Named(value: ["name": "n"]))
    expectEqual(left, right)
    expectEqual(Set([left, right]).count, 1)
    expectTrue(left != Named())
    expectEqual(Set([left, Named()]).count, 2)
  }

  @Test func aNegatedDecimalIsAnother() {
    var number: Decimal128 = 5
    let same = number
    number.negate()
    expectEqual(number, -5)
    expectEqual(same, 5)
  }

  @Test func aTokenCanBeMadeBeforeThereIsAnythingToObserve() {
    let token = NotificationToken()
    expectFalse(token.invalidate())
  }

  @Test func dynamicObjectsFindWhatIsUndefined() throws {
    let dynamic = try #require(realm.dynamicObject(ofType: "Ticket", forPrimaryKey: 1))
    expectEqual(dynamic.value(forUndefinedKey: "name") as? String, "one")
    try realm.write { dynamic.setValue("two", forUndefinedKey: "name") }
    expectEqual(ticket.name, "two")
  }
}
