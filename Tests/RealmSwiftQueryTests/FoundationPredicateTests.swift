// SPDX-License-Identifier: Apache-2.0

// `#Predicate` as a query, against the predicate's own evaluation of each object.

import Foundation
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

private enum BandKind: Int, PersistableEnum, Codable {
  case small, medium, large
}

private final class Band: Object {
  @Persisted var name = ""
  @Persisted var motto: String?
  @Persisted var size = 0
  @Persisted var rating: Double?
  @Persisted var rank: Int?
  @Persisted var price: Decimal128 = 0
  @Persisted var logo = Data()
  @Persisted var kind = BandKind.small
  @Persisted var isActive = false
  @Persisted var leader: Musician?
  @Persisted var members: List<Musician>
  @Persisted var years: List<Int>
  @Persisted var genres: MutableSet<String>
  @Persisted var sales: Map<String, Int>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Musician: Object {
  @Persisted var name = ""
  @Persisted var age = 0
  @Persisted(originProperty: "members") var bands: LinkingObjects<Band>

  override class func propertiesMapping() -> [String: String] { ["age": "years"] }

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Drummer: Musician {
}

struct FoundationPredicateTests {
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
        band.rank = index % 3 == 0 ? nil : index % 8
        band.price = Decimal128(value: index % 4) / 5
        band.logo = Data((0..<index % 3).map { UInt8($0 + index % 2) })
        band.kind = [.small, .medium, .large][index % 3]
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

  /// - Parameter isKnown: The bands of which the predicate can be asked in memory.
  private func expect(
    _ predicate: Predicate<Band>, onlyWhere isKnown: (Band) -> Bool = { _ in true },
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let bands = realm.objects(Band.self)
    let found = try Array(bands.filter(predicate)).filter(isKnown).map(\.name)
    let wanted = try Array(bands).filter(isKnown).filter { try predicate.evaluate($0) }
      .map(\.name)
    #expect(found == wanted, sourceLocation: sourceLocation)
    #expect(!wanted.isEmpty, sourceLocation: sourceLocation)
    #expect(wanted.count < 90, sourceLocation: sourceLocation)
  }

  @Test func comparisons() throws {
    let least = 3
    let name = "The Bees 4"
    let large = BandKind.large
    try expect(#Predicate { $0.size > least && $0.isActive })
    try expect(#Predicate { $0.name == name || $0.size <= 1 })
    try expect(#Predicate { !($0.size != 2) })
    try expect(#Predicate { 4 < $0.size })
    try expect(#Predicate { (2..<4).contains($0.size) })
    try expect(#Predicate { (2...4).contains($0.size) })
    try expect(#Predicate { ($0.members.count...4).contains($0.size) })
    let sizes = 1..<3
    try expect(#Predicate { sizes.contains($0.size) })
    let (from, upTo, through) = (3..., ..<3, ...3)
    try expect(#Predicate { from.contains($0.size) })
    try expect(#Predicate { upTo.contains($0.size) || !through.contains($0.size) })
    try expect(#Predicate { [1, 5].contains($0.size) })
    try expect(#Predicate { $0.isActive == true && true })
    try expect(#Predicate { $0.isActive == ($0.size > 3) })
    try expect(#Predicate { ($0.size > 3) != $0.isActive })
    try expect(#Predicate { $0.kind == large || $0.kind.rawValue == 1 })
    try expect(#Predicate { $0.name > "The B" && least == 3 && least < 4 })
  }

  @Test func optionals() throws {
    try expect(#Predicate { $0.motto == nil })
    try expect(#Predicate { $0.motto != nil && $0.motto != "loud" })
    try expect(#Predicate { ($0.motto ?? "play") == "play" })
    try expect(#Predicate { ($0.rating ?? 0) < 4 })
    try expect(#Predicate { 4 < ($0.rating ?? 5) })
    try expect(#Predicate { ($0.rank ?? $0.size) == ($0.rank ?? 3) })
    try expect(#Predicate { $0.rating! < 4 || $0.size == 1 }, onlyWhere: { $0.rating != nil })
    try expect(#Predicate { $0.leader == nil })
    try expect(#Predicate { $0.leader?.name == "M3" || $0.leader?.name == "M4" })
    try expect(#Predicate { $0.leader?.name != "M3" })
    try expect(#Predicate { ($0.leader?.age ?? 0) > 40 })
    try expect(#Predicate { $0.leader.flatMap { $0.age > 40 } ?? false })
    try expect(#Predicate { $0.leader.flatMap { $0.age > 40 } ?? true })
    try expect(#Predicate { $0.leader.flatMap { $0.age > 40 } == true })
    try expect(#Predicate { $0.leader.flatMap { $0.age > 40 } != true })
    try expect(#Predicate { $0.leader.flatMap { $0.age > 40 } == nil })
    try expect(#Predicate { $0.motto.flatMap { $0.contains("o") } ?? false })
    try expect(#Predicate { !($0.motto?.isEmpty ?? true) })
    try expect(#Predicate { if let motto = $0.motto { motto == "play" } else { $0.size == 1 } })
  }

  @Test func conditionals() throws {
    try expect(#Predicate { ($0.isActive ? $0.size : 3) == 3 })
    try expect(#Predicate { $0.isActive ? $0.size > 3 : $0.size < 2 })
    try expect(#Predicate { if $0.size > 4 { true } else { $0.motto == nil } })
    try expect(#Predicate { ($0.isActive ? $0.motto : nil) == "play" })
    try expect(#Predicate { ($0.years.isEmpty ? 0 : $0.years[0]) == 1990 })
  }

  @Test func arithmetic() throws {
    let step = 2
    try expect(#Predicate { $0.size + 1 > 3 })
    try expect(#Predicate { $0.size * step - 1 == $0.size + 2 })
    try expect(#Predicate { -$0.size < -step })
    try expect(#Predicate { $0.size % step == 1 && $0.size / step == 1 })
    try expect(#Predicate { ($0.rating ?? 1) / 2 > 1.5 })
    try expect(#Predicate { ($0.rank ?? 1) * 2 > $0.size + step * 2 })
    try expect(#Predicate { $0.members.count * 2 > $0.size })
    try expect(#Predicate { $0.price * 3 == 1.2 })
  }

  @Test func strings() throws {
    let part = "Bees"
    let same = ComparisonResult.orderedSame
    try expect(#Predicate { $0.name.contains(part) })
    try expect(#Predicate { $0.name.starts(with: "The A") && $0.name.contains("") })
    try expect(#Predicate { !$0.name.contains("1") })
    try expect(#Predicate { $0.name.localizedStandardContains("bÉES") })
    try expect(#Predicate { $0.name.caseInsensitiveCompare("THE BEES 4") == same })
    try expect(#Predicate { $0.name.contains($0.motto ?? "Bees") })
    try expect(#Predicate { "The Bees 4, The Cats 5".contains($0.name) })
    try expect(#Predicate { $0.motto?.starts(with: "pl") ?? false })
    try expect(#Predicate { $0.logo.starts(with: [1]) })
    try expect(#Predicate { $0.logo.isEmpty })
  }

  @Test func collections() throws {
    try expect(#Predicate { $0.members.contains { $0.age > 60 } })
    try expect(#Predicate { $0.members.allSatisfy { $0.age > 40 && $0.name != "M1" } })
    try expect(#Predicate { $0.members.filter { $0.age > 40 }.count > 1 })
    try expect(#Predicate { $0.members.filter { $0.age > 40 }.isEmpty })
    try expect(#Predicate { $0.members.filter { $0.age > 40 }.contains { $0.name != "M1" } })
    try expect(#Predicate { $0.members.filter { $0.age > 40 }.allSatisfy { $0.age < 60 } })
    try expect(#Predicate { band in band.members.contains { $0.age > band.size * 10 + 20 } })
    try expect(#Predicate { $0.members.contains { $0.bands.contains { $0.size == 6 } } })
    try expect(#Predicate { $0.members.contains { $0.bands.count > 5 } })
    try expect(#Predicate { $0.members.count > 2 })
    try expect(#Predicate { $0.years.isEmpty })
    try expect(#Predicate { $0.years.contains { $0 > 1990 && $0 < 1995 } })
    try expect(#Predicate { $0.years.allSatisfy { $0 < 1991 } })
    try expect(#Predicate { $0.years.filter { $0 >= 1990 }.count == 2 })
    try expect(#Predicate { ($0.years.max() ?? 0) > 1990 })
    try expect(#Predicate { ($0.years.min() ?? 1990) == 1990 && $0.years.min() != nil })
    try expect(#Predicate { $0.years.first == 1990 && $0.years.last != 1990 })
    try expect(#Predicate { $0.years.starts(with: [1990, 1991]) })
    try expect(#Predicate { $0.genres.count > 1 && !$0.genres.isEmpty })
    try expect(#Predicate { $0.genres.contains("folk") })
    try expect(#Predicate { $0.genres.contains { $0.contains("o") && $0 != "rock" } })
    try expect(#Predicate { $0.sales.count == 2 })
    try expect(#Predicate { $0.sales.isEmpty })
    try expect(#Predicate { $0.years.contains(1991) })
    try expect(#Predicate { $0.years.contains($0.size + 1989) })
    try expect(#Predicate { $0.leader.flatMap { $0.bands.count > 1 } ?? false })
  }

  @Test func mapsAndCapturedCollections() throws {
    try expect(#Predicate { $0.sales["place1"] == 17 || ($0.sales["place0"] ?? 50) < 20 })
    try expect(#Predicate { $0.sales.keys.contains("place1") })
    try expect(#Predicate { $0.sales.values.contains { $0 > 40 } })
    try expect(#Predicate { ($0.sales.values.max() ?? 0) > 40 })
    let names: [String?] = ["M1", "M2", "M3"]
    try expect(#Predicate { band in names.contains { $0 == band.leader?.name } })
    try expect(#Predicate { band in names.allSatisfy { $0 != band.leader?.name } })
    let ranks = ["play": 1, "loud": 2]
    try expect(#Predicate { (ranks[$0.motto ?? "play"] ?? 3) == 1 })
    try expect(#Predicate { ranks[$0.motto ?? "loud", default: 4] > 3 })
  }

  @Test func valuesAreFilteredToo() throws {
    let years = try #require(realm.objects(Band.self).where { $0.years.count == 2 }.first).years
    expectEqual(Array(try years.filter(#Predicate { $0 > 1990 && $0 % 2 == 1 || $0 == 5 })), [1991])
  }

  @Test func whatHasNoQueryIsAnErrorThatNamesIt() throws {
    let bands = realm.objects(Band.self)
    let ascending = ComparisonResult.orderedAscending
    func expect(
      _ text: String, _ predicate: Predicate<Band>,
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      let error = #expect(throws: PredicateTranslationError.self, sourceLocation: sourceLocation) {
        try bands.filter(predicate)
      }
      #expect(error?.description.contains(text) ?? false, "\(error as Any)")
    }
    expect("has no query", #Predicate { $0.name.count > 3 })
    expect("ConditionalCast", #Predicate { ($0.leader as? Drummer)?.name == "M1" })
    expect("TypeCheck", #Predicate { $0.leader is Drummer })
    expect("'StringContainsRegex'", #Predicate { $0.name.contains(#/B/#) })
    expect("'CollectionRangeSubscript'", #Predicate { $0.years[0..<1].contains(1990) })
    expect(
      "only '.orderedSame'",
      #Predicate { $0.name.caseInsensitiveCompare("b") == ascending })
    expect("'SequenceMaximum'", #Predicate { $0.genres.max() == "rock" })
    expect("Collections as a whole", #Predicate { $0.years == $0.years })
  }

  @Test func theResultsAreLive() throws {
    let large = try realm.objects(Band.self).filter(#Predicate { $0.size == 6 })
    let count = large.count
    try realm.write { realm.objects(Band.self).where { $0.size == 5 }.first?.size = 6 }
    expectEqual(large.count, count + 1)
  }
}
