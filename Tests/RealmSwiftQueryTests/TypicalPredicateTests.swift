// SPDX-License-Identifier: Apache-2.0

// `#Predicate` as apps write it, against the predicate's own evaluation of each object.

import Foundation
import RealmSwift
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

private enum Role: Int, PersistableEnum, Codable {
  case guest, member, admin
}

private enum Mood: String, PersistableEnum, Codable {
  case calm, angry
}

private final class City: Object {
  @Persisted(primaryKey: true) var name = ""
  @Persisted var mayor: Citizen?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Address: EmbeddedObject {
  @Persisted var street = ""
  @Persisted var zip: String?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Citizen: Object {
  @Persisted(primaryKey: true) var id = UUID()
  @Persisted var name = ""
  @Persisted var nick: String?
  @Persisted var age = 0
  @Persisted var height: Double?
  @Persisted var born = Date.distantPast
  @Persisted var seen: Date?
  @Persisted var photo: Data?
  @Persisted var isActive = false
  @Persisted var isPaid: Bool?
  @Persisted var role = Role.guest
  @Persisted var mood: Mood?
  @Persisted var balance: Decimal128 = 0
  @Persisted var spouse: Citizen?
  @Persisted var city: City?
  @Persisted var address: Address?
  @Persisted var children: List<Citizen>
  @Persisted var tags: MutableSet<String>
  @Persisted var marks: Map<String, Int>
  @Persisted(originProperty: "children") var parents: LinkingObjects<Citizen>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// What the screen of an app remembers.
private struct Search: Codable {
  var text = ""
  var least = 30
  var role: Role?
  var nick: String?
  var days: Range<Date>
}

struct TypicalPredicateTests {
  private static let start = Date(timeIntervalSince1970: 1_000_000)

  private let file: TemporaryRealm
  private let realm: Realm
  private let people: [Citizen]

  init() throws {
    file = try TemporaryRealm([Citizen.self, City.self, Address.self])
    realm = try file.open()
    var random = SeededGenerator(seed: 5)
    let realm = realm
    people = try realm.write {
      let people = (0..<60).map { index in
        realm.create(
          Citizen.self,
          value: ["id": UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(index)))])
      }
      let cities = ["Oslo", "Rom", "Bonn"].map { realm.create(City.self, value: ["name": $0]) }
      cities[0].mayor = people[7]
      cities[2].mayor = people[30]
      for person in people { Self.fill(person, people, cities, &random) }
      return people
    }
  }

  private static func fill(
    _ person: Citizen, _ people: [Citizen], _ cities: [City], _ random: inout SeededGenerator
  ) {
    person.name = ["Ada", "Bob", "Émile", "Zoë"].randomElement(using: &random) ?? ""
    person.nick = [nil, "", "bo", "Ada", "émi"].randomElement(using: &random) ?? nil
    person.age = Int.random(in: 0...80, using: &random)
    person.height = random.chance(0.3) ? nil : Double(person.age % 5) / 2
    person.born = start.addingTimeInterval(Double(Int.random(in: 0...20, using: &random)))
    person.seen = random.chance(0.4) ? nil : person.born.addingTimeInterval(5)
    person.photo = [nil, Data(), Data([1, 2]), Data([7])].randomElement(using: &random) ?? nil
    person.isActive = random.chance(0.5)
    person.isPaid = [nil, true, false].randomElement(using: &random) ?? nil
    person.role = Role.allCases.randomElement(using: &random) ?? .guest
    person.mood = random.chance(0.3) ? nil : Mood.allCases.randomElement(using: &random)
    person.balance = Decimal128(value: person.age % 7) / 4
    person.spouse = random.chance(0.4) ? nil : people.randomElement(using: &random)
    person.city = random.chance(0.3) ? nil : cities.randomElement(using: &random)
    if random.chance(0.6) {
      person.address = Address(value: [
        "street": person.age % 2 == 0 ? "Main" : "Side", "zip": person.isActive ? "1" : nil,
      ])
    }
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      if let child = people.randomElement(using: &random) { person.children.append(child) }
      person.tags.insert(["red", "blue", "green"].randomElement(using: &random) ?? "")
      person.marks[["maths", "music"].randomElement(using: &random) ?? ""] = person.age % 6
    }
  }

  private func expect(
    _ predicate: Predicate<Citizen>, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let found = try Array(realm.objects(Citizen.self).filter(predicate)).map(\.id)
    let wanted = try people.filter { try predicate.evaluate($0) }.map(\.id)
    #expect(found == wanted, sourceLocation: sourceLocation)
    #expect(!wanted.isEmpty, sourceLocation: sourceLocation)
    #expect(wanted.count < people.count, sourceLocation: sourceLocation)
  }

  private func expectError(
    _ text: String, _ predicate: Predicate<Citizen>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: PredicateTranslationError.self, sourceLocation: sourceLocation) {
      try realm.objects(Citizen.self).filter(predicate)
    }
    #expect(
      error?.description.contains(text) ?? false, "\(error as Any)", sourceLocation: sourceLocation)
  }

  @Test func whatTheProgramCaptured() throws {
    var search = Search(days: Self.start..<Self.start.addingTimeInterval(9))
    for text in ["ADA", "e"] {
      search.text = text
      let search = search
      try expect(
        #Predicate { search.text.isEmpty || $0.name.localizedStandardContains(search.text) })
    }
    let (all, least) = (search, search.least)
    try expect(
      #Predicate { (all.text.isEmpty || $0.name.contains(all.text)) && $0.age >= least })
    try expect(#Predicate { $0.age > all.least && all.days.contains($0.born) })
    try expect(#Predicate { $0.nick == all.nick })
    let member = Role.member
    for role in [nil, Role.admin] {
      try expect(#Predicate { (role == nil || $0.role == role!) && $0.isActive })
      try expect(#Predicate { $0.role == (role ?? member) })
    }
    let wanted: [Role] = [.member, .admin]
    try expect(#Predicate { wanted.contains($0.role) })
    let moods: Set<String> = ["calm"]
    try expect(#Predicate { moods.contains($0.mood.flatMap { $0.rawValue } ?? "calm") })
    let ids = Set(people.prefix(5).map(\.id))
    try expect(#Predicate { ids.contains($0.id) && $0.age > 3 })
    let name: String? = "Bob"
    try expect(#Predicate { $0.nick == name || $0.age > 70 })
    try expect(#Predicate { $0.name == (name ?? "Ada") })
  }

  @Test func optionals() throws {
    try expect(#Predicate { ($0.nick ?? $0.name).starts(with: "A") })
    try expect(#Predicate { $0.nick?.isEmpty ?? true })
    try expect(#Predicate { $0.nick?.isEmpty == false })
    try expect(#Predicate { $0.nick?.localizedStandardContains("EM") == true })
    try expect(#Predicate { $0.nick.flatMap { $0.contains("o") } ?? false })
    try expect(#Predicate { if let nick = $0.nick { nick == "bo" } else { $0.age > 40 } })
    try expect(
      #Predicate { person in
        if let nick = person.nick, let height = person.height {
          nick == person.name || height > 1
        } else {
          false
        }
      })
    try expect(#Predicate { $0.height != nil && $0.height! > 1 })
    try expect(#Predicate { ($0.height ?? 0) * 2 >= 3 })
    try expect(#Predicate { $0.isPaid ?? false })
    try expect(#Predicate { $0.isPaid == true || $0.isPaid == nil })
    try expect(#Predicate { !($0.isPaid ?? true) })
    try expect(#Predicate { $0.nick == nil ? $0.age > 40 : $0.nick == "bo" })
    try expect(#Predicate { $0.mood == nil || $0.mood?.rawValue == "angry" })
    try expect(#Predicate { $0.mood?.rawValue.starts(with: "c") ?? false })
    let calm = Mood.calm
    try expect(#Predicate { $0.mood == calm })
    try expect(#Predicate { $0.mood != calm })
  }

  @Test func links() throws {
    try expect(#Predicate { $0.spouse?.name == "Ada" })
    try expect(#Predicate { $0.spouse?.spouse?.age ?? 0 > 30 })
    try expect(#Predicate { $0.spouse?.city?.name == "Oslo" })
    try expect(#Predicate { $0.city?.mayor?.city?.name != "Rom" })
    try expect(#Predicate { $0.address?.street == "Main" && $0.address?.zip == nil })
    try expect(#Predicate { $0.address?.zip?.isEmpty == false })
    try expect(#Predicate { if let spouse = $0.spouse { spouse.age > 30 } else { false } })
    try expect(
      #Predicate { person in person.spouse.flatMap { $0.age > person.age } ?? false })
    try expect(#Predicate { $0.spouse != nil && $0.spouse!.isActive })
    try expect(#Predicate { $0.spouse?.isActive ?? true })
    try expect(#Predicate { $0.spouse?.role.rawValue == 2 })
    try expect(#Predicate { $0.spouse.flatMap { $0.nick } == "Ada" })
    try expect(#Predicate { $0.spouse?.children.isEmpty == true })
    try expect(#Predicate { $0.spouse?.children.contains { $0.age > 40 } ?? false })
    try expect(#Predicate { ($0.spouse?.children.count ?? 0) > 1 })
    try expect(
      #Predicate { person in
        person.spouse.flatMap { spouse in spouse.city.flatMap { $0.name == "Rom" } } == true
      })
    try expect(#Predicate { $0.city == $0.spouse?.city })
  }

  @Test func collections() throws {
    try expect(#Predicate { $0.children.contains { $0.age < 30 && $0.isActive } })
    try expect(#Predicate { $0.children.contains(where: { $0.name.starts(with: "B") }) })
    try expect(#Predicate { !$0.children.isEmpty && $0.children.allSatisfy { $0.age > 20 } })
    try expect(#Predicate { $0.children.filter { $0.isActive }.count > 1 })
    try expect(#Predicate { $0.children.filter { $0.age > 30 }.allSatisfy { $0.isActive } })
    try expect(#Predicate { $0.children.contains { $0.city?.name == "Bonn" } })
    try expect(#Predicate { $0.children.contains { $0.children.contains { $0.age > 70 } } })
    try expect(#Predicate { $0.children.contains { $0.nick?.isEmpty ?? true } })
    try expect(#Predicate { $0.children.first?.name == "Ada" })
    try expect(#Predicate { $0.children.count * 20 > $0.age })
    try expect(#Predicate { $0.parents.contains { $0.role.rawValue >= 1 } })
    try expect(#Predicate { person in person.children.contains { $0.age * 2 > person.age } })
    try expect(
      #Predicate { person in
        person.children.contains { $0.name == person.name && $0.isActive != person.isActive }
      })
    try expect(#Predicate { $0.tags.contains("red") && !$0.tags.contains("blue") })
    let tags = ["red", "blue"]
    try expect(#Predicate { person in tags.allSatisfy { person.tags.contains($0) } })
    try expect(#Predicate { person in tags.contains { person.tags.contains($0) } })
    try expect(#Predicate { $0.tags.contains { tags.contains($0) } })
    try expect(#Predicate { $0.tags.contains { $0.localizedStandardContains("RE") } })
    try expect(#Predicate { $0.marks["maths"] ?? 0 > 2 })
    try expect(#Predicate { $0.marks["music"] != nil })
    try expect(#Predicate { $0.children.contains { $0.marks["music"] == 3 } })
    let friend = people[3].name
    try expect(#Predicate { $0.children.contains { $0.name == friend } || $0.name == friend })
  }

  @Test func numbersDatesAndBytes() throws {
    let (start, end) = (Self.start.addingTimeInterval(4), Self.start.addingTimeInterval(12))
    try expect(#Predicate { $0.born >= start && $0.born < end })
    try expect(#Predicate { (start...end).contains($0.born) })
    try expect(#Predicate { $0.seen ?? start > end })
    try expect(#Predicate { $0.seen.flatMap { $0 < end } ?? false })
    try expect(#Predicate { (18..<65).contains($0.age) })
    try expect(#Predicate { $0.age % 2 == 0 && $0.age / 10 > 2 })
    try expect(#Predicate { ($0.isActive ? $0.age : 80 - $0.age) > 30 })
    try expect(#Predicate { $0.isActive ? $0.name == "Ada" : $0.name == "Bob" })
    try expect(#Predicate { $0.balance > 1 })
    try expect(#Predicate { -$0.age + 10 > 0 })
    let id = people[4].id
    try expect(#Predicate { $0.id == id })
    let photo = Data([7])
    try expect(#Predicate { $0.photo == photo })
    try expect(#Predicate { $0.photo?.isEmpty == false })
    try expect(#Predicate { $0.photo == nil || $0.photo!.isEmpty })
    let role = Role.admin.rawValue
    try expect(#Predicate { $0.role.rawValue == role || $0.role.rawValue < 1 })
    try expect(#Predicate { $0.name < "C" && $0.isActive })
    let same = ComparisonResult.orderedSame
    try expect(#Predicate { $0.name.caseInsensitiveCompare("ada") == same })
    try expect(#Predicate { $0.name.contains($0.nick ?? "d") })
  }

  @Test func whatIsRefusedIsRefusedAtTheCall() {
    expectError("has no query", #Predicate { $0.name.count > 3 })
    expectError("has no query", #Predicate { $0.photo?.count ?? 0 > 1 })
    expectError("Collections as a whole", #Predicate { $0.children == $0.children })
    expectError(
      "An object by itself",
      #Predicate { citizen in citizen.children.contains { $0 == citizen } })
    expectError(
      "An object by itself",
      #Predicate { citizen in citizen.children.contains { citizen == $0 } })
    expectError(
      "An object by itself", #Predicate { citizen in citizen.children.contains(citizen) })
    expectError("StringContainsRegex", #Predicate { $0.name.contains(#/A/#) })
  }
}
