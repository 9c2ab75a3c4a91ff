// SPDX-License-Identifier: Apache-2.0

// `#Predicate` as a query, against the predicate's own evaluation of each object.

import Foundation
import RealmTestSupport
import Testing

@testable import RealmSwift

private final class Band: Object {
  @Persisted var name = ""
  @Persisted var motto: String?
  @Persisted var size = 0
  @Persisted var rating: Double?
  @Persisted var isActive = false
  @Persisted var leader: Musician?
  @Persisted var members: List<Musician>
  @Persisted var years: List<Int>
  @Persisted var genres: MutableSet<String>
  @Persisted var sales: Map<String, Int>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Musician: Object {
  @Persisted var name = ""
  @Persisted var age = 0
  @Persisted(originProperty: "members") var bands: LinkingObjects<Band>

  override class func propertiesMapping() -> [String: String] { ["age": "years"] }

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite struct FoundationPredicateTests {
  private let file: TemporaryRealm
  private let realm: Realm

  init() throws {
    file = try TemporaryRealm([Band.self, Musician.self])
    realm = try file.open()
    var random = SeededGenerator(seed: 77)
    let realm = realm
    try realm.write {
      let musicians = (0..<30).map { index in
        realm.create(
          Musician.self,
          value: ["name": "M\(index)", "age": Int.random(in: 18...80, using: &random)])
      }
      for index in 0..<90 {
        let band = realm.create(
          Band.self, value: ["name": "The \(["Ants", "Bees", "Cats"][index % 3]) \(index)"])
        band.size = index % 7
        band.motto = index % 4 == 0 ? nil : ["play", "loud", ""][index % 3]
        band.rating = index % 5 == 0 ? nil : Double(index % 9)
        band.isActive = index % 2 == 0
        band.leader = index % 3 == 0 ? nil : musicians.randomElement(using: &random)
        for _ in 0..<index % 4 {
          if let musician = musicians.randomElement(using: &random) {
            band.members.append(musician)
          }
        }
        band.years.append(objectsIn: (0..<index % 3).map { 1990 + $0 })
        for genre in ["rock", "folk", "jazz"].prefix(index % 4) { band.genres.insert(genre) }
        for place in 0..<index % 3 { band.sales["place\(place)"] = index }
      }
    }
  }

  private func expect(
    _ predicate: Predicate<Band>, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let bands = realm.objects(Band.self)
    let found = try bands.filter(predicate).map(\.name)
    let wanted = try Array(bands).filter { try predicate.evaluate($0) }.map(\.name)
    #expect(Array(found) == wanted, sourceLocation: sourceLocation)
    #expect(!wanted.isEmpty && wanted.count < 90, sourceLocation: sourceLocation)
  }

  @Test func comparisons() throws {
    let least = 3
    let name = "The Bees 4"
    try expect(#Predicate { $0.size > least && $0.isActive })
    try expect(#Predicate { $0.name == name || $0.size <= 1 })
    try expect(#Predicate { !($0.size != 2) })
    try expect(#Predicate { 4 < $0.size })
    try expect(#Predicate { (2..<4).contains($0.size) })
    try expect(#Predicate { (2...4).contains($0.size) })
    let sizes = 1..<3
    try expect(#Predicate { sizes.contains($0.size) })
    try expect(#Predicate { [1, 5].contains($0.size) })
    try expect(#Predicate { $0.isActive == true && true })
  }

  @Test func optionals() throws {
    try expect(#Predicate { $0.motto == nil })
    try expect(#Predicate { $0.motto != nil && $0.motto != "loud" })
    try expect(#Predicate { ($0.motto ?? "play") == "play" })
    try expect(#Predicate { ($0.rating ?? 0) < 4 })
    try expect(#Predicate { $0.leader == nil })
    try expect(#Predicate { $0.leader?.name == "M3" || $0.leader?.name == "M4" })
    try expect(#Predicate { ($0.leader?.age ?? 0) > 40 })
    try expect(#Predicate { $0.leader.flatMap { $0.age > 40 } ?? false })
    try expect(#Predicate { $0.leader.flatMap { $0.age > 40 } == true })
  }

  @Test func strings() throws {
    try expect(#Predicate { $0.name.contains("Bees") })
    try expect(#Predicate { $0.name.starts(with: "The A") && $0.name.contains("") })
    try expect(#Predicate { !$0.name.contains("1") })
  }

  @Test func collections() throws {
    try expect(#Predicate { $0.members.contains { $0.age > 60 } })
    try expect(#Predicate { $0.members.allSatisfy { $0.age > 40 && $0.name != "M1" } })
    try expect(#Predicate { $0.members.filter { $0.age > 40 }.count > 1 })
    try expect(#Predicate { $0.members.count > 2 })
    try expect(#Predicate { $0.years.isEmpty })
    try expect(#Predicate { $0.genres.count > 1 && !$0.genres.isEmpty })
    try expect(#Predicate { $0.genres.contains("folk") })
    try expect(#Predicate { $0.sales.count == 2 })
    try expect(#Predicate { $0.sales.isEmpty })
    try expect(#Predicate { $0.years.contains(1991) })
    try expect(#Predicate { $0.leader.flatMap { $0.bands.count > 1 } ?? false })
  }

  @Test func whatHasNoQueryIsAnErrorThatNamesIt() throws {
    let bands = realm.objects(Band.self)
    func expect(
      _ text: String, _ predicate: Predicate<Band>,
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      let error = #expect(throws: PredicateTranslationError.self, sourceLocation: sourceLocation) {
        try bands.filter(predicate)
      }
      #expect(error?.description.contains(text) ?? false, "\(error as Any)")
    }
    expect("Arithmetic", #Predicate { $0.size + 1 > 3 })
    expect("Conditional", #Predicate { ($0.isActive ? 1 : 2) == 2 })
    expect("has no query", #Predicate { $0.name.count > 3 })
  }

  @Test func theResultsAreLive() throws {
    let large = try realm.objects(Band.self).filter(#Predicate { $0.size == 6 })
    let count = large.count
    try realm.write { realm.objects(Band.self).where { $0.size == 5 }.first?.size = 6 }
    #expect(large.count == count + 1)
  }
}
