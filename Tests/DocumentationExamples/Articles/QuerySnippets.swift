// SPDX-License-Identifier: Apache-2.0

// The snippets of the article "Queries".

import Foundation
import RealmSwift
import RealmTestSupport
import Testing

enum QueryArticle {
  // snippet: queries-model
  class Town: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var country: String
    @Persisted var name: String
    @Persisted var people: Int
    @Persisted(indexed: .fullText) var about: String
    @Persisted var location: Place?
    @Persisted var sights: List<Sight>
    // snippet hide
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    // snippet show
  }

  class Sight: Object {
    @Persisted var name: String
    @Persisted var price: Decimal128
    // snippet hide
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    // snippet show
  }

  class Place: EmbeddedObject {  // The form of a point, as queries of places expect it.
    @Persisted private var type = "Point"
    @Persisted private var coordinates: List<Double>

    convenience init(longitude: Double, latitude: Double) {
      self.init()
      coordinates.append(objectsIn: [longitude, latitude])
    }
    // snippet hide
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    // snippet show
  }
  // snippet end
}

struct QuerySnippets {
  typealias Town = QueryArticle.Town

  private let folder: ArticleFolder
  private let realm: Realm
  private let towns: Results<Town>

  init() throws {
    folder = try ArticleFolder()
    realm = try Realm(
      configuration: folder.configuration(
        [Town.self, QueryArticle.Sight.self, QueryArticle.Place.self]))
    towns = realm.objects(Town.self)
    try realm.write { [realm] in
      for (id, (name, country, people)) in [
        ("Oslo", "NO", 700_000), ("Bergen", "NO", 290_000), ("Lyon", "FR", 520_000),
      ].enumerated() {
        let town = realm.create(
          Town.self,
          value: [
            "id": id, "name": name, "country": country, "people": people,
            "about": "\(name) has a cathedral and trams",
            "sights": [["name": "Opera", "price": 5]],
          ])
        town.location = .init(longitude: 10.75, latitude: 59.91)
      }
    }
  }

  @Test func conditions() throws {
    // snippet: queries-where
    let large = towns.where { $0.people > 500_000 && $0.country.in(["NO", "SE"]) }
    let named = towns.where { $0.name.starts(with: "b", options: .caseInsensitive) }
    let cheap = towns.where { $0.sights.price < 10 }  // Any of its sights.
    // snippet end
    #expect(large.count == 1 && named.count == 1 && cheap.count == 3)
    // snippet: queries-string
    let same = towns.filter("people > %@ AND country IN {'NO', 'SE'}", 500_000)
    let ordered = towns.filter("ANY sights.price < 10 SORT(people DESC) LIMIT(3)")
    // snippet end
    #expect(same.count == 1 && ordered[0].name == "Oslo")
    let minimum = 500_000
    // snippet: queries-predicate
    let typed = try towns.filter(#Predicate { $0.people > minimum && $0.name.contains("sl") })
    // snippet end
    #expect(typed.count == 1)
  }

  @Test func ordersAndParts() throws {
    // snippet: queries-order
    let largest = towns.sorted(by: \.people, ascending: false).limit(10)
    let onePerCountry = towns.sorted(by: \.people).distinct(by: [\.country])
    let byCountry = towns.sectioned(by: \.country)
    for section in byCountry { print(section.key, section.map(\.name)) }
    // snippet end
    #expect(largest.count == 3 && onePerCountry.count == 2 && byCountry.count == 2)
    // snippet: queries-aggregates
    let total: Int = towns.sum(of: \.people)
    let most: Int? = towns.where { $0.country == "NO" }.max(of: \.people)
    let mean: Double? = towns.average(ofProperty: "people")
    // snippet end
    #expect(total == 1_510_000 && most == 700_000 && (mean ?? 0) > 500_000)
  }

  @Test func wordsAndPlaces() throws {
    // snippet: queries-text
    let found = towns.where { $0.about.text(matching: "cathedral tram* -harbour") }
    // snippet end
    #expect(found.count == 3)
    // snippet: queries-geo
    if let centre = GeoPoint(latitude: 59.91, longitude: 10.75),
      let radius = Distance.kilometers(20)
    {
      let circle = GeoCircle(center: centre, radius: radius)
      let near = towns.where { $0.location.geoWithin(circle) }
      for town in near { print(town.name) }
      // snippet hide
      #expect(near.count == 3)
      // snippet show
    }
    // snippet end
  }

  @Test func whatUsersType() throws {
    let input = "people > 100000 AND"
    // snippet: queries-input
    do {
      let condition = try Query(parsing: input, for: Town.self)
      print(towns.where { condition && $0.country == "NO" }.count)
    } catch let error as QueryParsingError {
      print("column \(error.column ?? 0): \(error.localizedDescription)")
      // snippet hide
      #expect(error.column != nil)
      // snippet show
    }
    // snippet end
  }

  @Test func preparedQueries() {
    // snippet: queries-prepared
    let towns = realm.prepare(Town.self) {
      (town, country: QueryArgument<String>, least: QueryArgument<Int>) in
      town.country == country && town.people >= least
    }
    for country in ["NO", "SE"] { print(country, towns(country, 100_000).count) }
    // snippet end
    #expect(
      towns("NO", 100_000).map(\.id)
        == self.towns.where { $0.country == "NO" && $0.people >= 100_000 }.map(\.id))
  }

  @Test func valuesOfProperties() {
    // snippet: queries-values
    for (name, people) in towns.values(\.name, \.people) { print(name, people) }
    let names = Set(towns.where { $0.country == "NO" }.values(\.name))
    // snippet end
    #expect(names == Set(towns.filter { $0.country == "NO" }.map(\.name)) && !names.isEmpty)
  }

  @Test func explanations() {
    // snippet: queries-explain
    print(towns.where { $0.country == "NO" && $0.people > 500_000 }.explain())
    // index: country == "NO", 2 of 3 objects
    // test: people > 500000, then country == "NO"
    // snippet end
    #expect(
      towns.where { $0.country == "NO" && $0.people > 500_000 }.explain() == """
        index: country == "NO", 2 of 3 objects
        test: people > 500000, then country == "NO"
        """)
  }
}
