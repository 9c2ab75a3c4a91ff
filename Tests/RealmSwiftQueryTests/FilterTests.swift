// SPDX-License-Identifier: Apache-2.0

// Filtering by strings and predicates, against `where` with the same meaning.

import Foundation
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@_spi(RealmTesting) @testable import RealmSwift

private final class Shop: Object {
  @Persisted(primaryKey: true) var id: ObjectId
  @Persisted var name = ""
  @Persisted var city: String?
  @Persisted var isOpen = false
  @Persisted var rating = 0.0
  @Persisted var since = Date(timeIntervalSince1970: 0)
  @Persisted var number = UUID()
  @Persisted var staff: List<Clerk>
  @Persisted var boss: Clerk?
  @Persisted var tags: List<String>

  override class func propertiesMapping() -> [String: String] {
    ["city": "town", "boss": "manager"]
  }

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Clerk: Object {
  @Persisted var name = ""
  @Persisted var age = 0
  @Persisted(originProperty: "staff") var shops: LinkingObjects<Shop>
  @Persisted(originProperty: "boss") var leads: LinkingObjects<Shop>

  override class func propertiesMapping() -> [String: String] { ["age": "years"] }

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct FilterTests {
  private let file: TemporaryRealm
  private let realm: Realm

  init() throws {
    file = try TemporaryRealm([Shop.self, Clerk.self])
    realm = try file.open()
    var random = SeededGenerator(seed: 14)
    let realm = realm
    try realm.write {
      let clerks = (0..<40).map { index in
        realm.create(
          Clerk.self,
          value: ["name": "Clerk\(index % 13)", "age": Int.random(in: 16...70, using: &random)])
      }
      for index in 0..<120 {
        let shop = realm.create(
          Shop.self,
          value: [
            "id": ObjectId.generate(), "name": ["Été \(index)", "summer \(index)"][index % 2],
            "isOpen": index % 3 == 0, "rating": Double(index % 11) / 2,
            "since": Date(timeIntervalSince1970: Double(index) * 86_400), "number": UUID(),
          ] as [String: Any])
        if index % 4 != 0 { shop.city = ["Lyon", "Oslo", "Rome"][index % 3] }
        for _ in 0..<Int.random(in: 0...4, using: &random) {
          if let clerk = clerks.randomElement(using: &random) { shop.staff.append(clerk) }
        }
        if index % 5 != 0 { shop.boss = clerks.randomElement(using: &random) }
        shop.tags.append(objectsIn: (0..<index % 3).map { "tag\($0)" })
      }
    }
  }

  private var shops: Results<Shop> { realm.objects(Shop.self) }

  private func expect(
    _ format: String, _ args: Any..., equals isIncluded: (Query<Shop>) -> Query<Bool>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let found = shops.filter(NSPredicate(format: format, argumentArray: args)).map(\.name)
    let wanted = shops.where(isIncluded).map(\.name)
    #expect(Array(found) == Array(wanted), "\(format)", sourceLocation: sourceLocation)
    #expect(!wanted.isEmpty, "\(format)", sourceLocation: sourceLocation)
    #expect(wanted.count < 120, "\(format)", sourceLocation: sourceLocation)
  }

  @Test func comparisons() {
    expect("name == %@", "Été 2") { $0.name == "Été 2" }
    expect("name BEGINSWITH[cd] 'ete 1'") {
      $0.name.starts(with: "ete 1", options: [.caseInsensitive, .diacriticInsensitive])
    }
    expect("name LIKE '*mer ?'") { $0.name.like("*mer ?") }
    expect("rating >= %f AND rating < 4", 2.0) { $0.rating >= 2 && $0.rating < 4 }
    expect("3 < rating") { $0.rating > 3 }
    expect("rating BETWEEN {1, 2}") { $0.rating.contains(1.0...2.0) }
    expect("rating BETWEEN %@", [1, 2]) { $0.rating.contains(1.0...2.0) }
    expect("isOpen == YES") { $0.isOpen }
    expect("isOpen = 1") { $0.isOpen }
    expect("NOT isOpen == true") { !$0.isOpen }
    expect("since < %@", Date(timeIntervalSince1970: 1e6)) {
      $0.since < Date(timeIntervalSince1970: 1e6)
    }
    expect("since >= 1970-02-01@00:00:00:0") {
      $0.since >= Date(timeIntervalSince1970: 31 * 86_400)
    }
    expect("%K != nil", "city") { $0.city != nil }
    expect("city == NULL OR city = 'Rome'") { $0.city == nil || $0.city == "Rome" }
    expect("city IN %@", ["Oslo", "Rome"]) { $0.city.in(["Oslo", "Rome"]) }
    expect("city IN {'Oslo', 'Bonn'}") { $0.city.in(["Oslo", "Bonn"]) }
    expect("$1 == city || rating == $0", 5.0, "Lyon") { $0.city == "Lyon" || $0.rating == 5 }
  }

  @Test func identities() throws {
    let shop = try #require(shops.first)
    expectEqual(Array(shops.filter("id == %@", shop.id)), [shop])
    expectEqual(Array(shops.filter("id == oid(\(shop.id.stringValue))")), [shop])
    expectEqual(Array(shops.filter("number == uuid(\(shop.number.uuidString))")), [shop])
    expectEqual(shops.index(matching: "id == %@", shop.id), 0)
    expectEqual(shops.index(matching: NSPredicate(format: "name == 'Nobody'")), nil)
    let clerk = try #require(realm.objects(Clerk.self).first)
    expect("boss == %@", clerk) { $0.boss == clerk }
    expect("ANY staff == %@", clerk) { $0.staff.contains(clerk) }
    expect("%@ IN staff", clerk) { $0.staff.contains(clerk) }
  }

  @Test func pathsAndCollections() {
    expect("boss.age > 40") { $0.boss.age > 40 }
    expect("boss == nil") { $0.boss == nil }
    expect("ANY staff.age > 60") { $0.staff.age > 60 }
    expect("NONE staff.age > 60") { !($0.staff.age > 60) }
    expect("ALL staff.age > 30") { ($0.staff.age <= 30).count == 0 }
    expect("staff.@count == 2") { $0.staff.count == 2 }
    expect("staff.@size > 3") { $0.staff.count > 3 }
    expect("staff.@avg.age > 50") { $0.staff.age.avg > 50 }
    expect("staff.@min.age < 20") { $0.staff.age.min < 20 }
    expect("staff.@sum.age > 120") { $0.staff.age.sum > 120 }
    expect("'tag1' IN tags") { $0.tags.contains("tag1") }
    expect("ANY tags IN %@", ["tag1", "x"]) { $0.tags.containsAny(in: ["tag1", "x"]) }
    expect("SUBQUERY(staff, $c, $c.age > 30 AND $c.name == 'Clerk3').@count > 0") {
      ($0.staff.age > 30 && $0.staff.name == "Clerk3").count > 0
    }
    expect("boss.shops.@count > 4") { $0.boss.shops.count > 4 }
  }

  @Test func theObjectsThatLinkHere() {
    let clerks = realm.objects(Clerk.self)
    let byProperty = clerks.where { $0.leads.count > 3 }.map(\.name)
    expectEqual(Array(clerks.filter("leads.@count > 3").map(\.name)), Array(byProperty))
    expectEqual(Array(clerks.filter("@links.Shop.boss.@count > 3").map(\.name)), Array(byProperty))
    expectEqual(
      Array(clerks.filter("ANY @links.Shop.boss.city == 'Oslo'").map(\.name)),
      Array(clerks.where { $0.leads.city == "Oslo" }.map(\.name)))
    expectTrue(byProperty.count > 0)
    expectTrue(byProperty.count < 40)
  }

  @Test func compoundsOrderAndChains() {
    let and = NSCompoundPredicate(
      andPredicateWithSubpredicates: [
        NSPredicate(format: "rating > %d", 2),
        NSCompoundPredicate(notPredicateWithSubpredicate: NSPredicate(format: "isOpen == true")),
      ])
    expectEqual(
      Array(shops.filter(and).map(\.name)),
      Array(shops.where { $0.rating > 2 && !$0.isOpen }.map(\.name)))
    let sorted = shops.filter("rating > 1 SORT(boss.age DESC, rating ASC)")
    let expected = shops.where { $0.rating > 1 }.sorted(by: [
      SortDescriptor(keyPath: "boss.age", ascending: false), SortDescriptor(keyPath: "rating"),
    ])
    expectEqual(Array(sorted.map(\.name)), Array(expected.map(\.name)))
    expectEqual(
      shops.filter("rating > 1").filter("isOpen == NO").count,
      shops.where { $0.rating > 1 && !$0.isOpen }.count)
    expectEqual(shops.filter("TRUEPREDICATE").count, 120)
    expectTrue(shops.filter("FALSEPREDICATE").isEmpty)
  }

  @Test(arguments: [
    ("name = ", "at column 8"),
    (
      "nam == 'x'",
      "Invalid keypath 'nam': Property 'nam' not found in object of type 'Shop'. Did you mean "
        + "'name'? At column 1, in: nam == 'x'"
    ),
    ("name.x == 'x'", "Property 'Shop.name' is not a link or collection"),
    ("staff.age > 3", "Key paths that include a collection property must use aggregate operations"),
    ("ANY name == 'x'", "Aggregate operations can only be used on key paths"),
    ("name.@count == 1", "Invalid keypath 'name.@count': Property 'Shop.name' is not a link"),
    ("rating == 'x'", "Cannot compare value 'x' of type 'string' to property 'rating'"),
    ("rating BETWEEN {1}", "Predicate with BETWEEN operator"),
    ("'x' BEGINSWITH name", "Operator 'BEGINSWITH' requires a keypath on the left side."),
    ("1 == 1", "Predicate expressions must compare a keypath and a value."),
    ("name == %@", "argument 1 is missing"),
    ("name LIKE[d] 'x'", "Operator 'LIKE' not supported with diacritic-insensitive modifier."),
    ("name <[c] 'x'", "Lexicographical comparisons must be case-sensitive"),
    ("ALL name == 'x'", "Aggregate operations can only be used on key paths"),
    // There is such a class in the program, but not in the realm.
    ("@links.Person.dogs.@count > 1", "there is no class 'Person'"),
    ("id == oid(12)", "expected the 24 hexadecimal digits of an object id at column 11"),
    ("rating > 1 LIMIT(-3)", "LIMIT needs a number that is not negative."),
  ])
  func misuseIsToldAtTheCall(format: String, text: String) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [format] in
      let file = try TemporaryRealm([Shop.self, Clerk.self])
      _ = try file.open().objects(Shop.self).filter(format)
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    expectTrue(output.contains(text), "\(output)")
  }
}
