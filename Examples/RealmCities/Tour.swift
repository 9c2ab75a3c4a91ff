// SPDX-License-Identifier: Apache-2.0

// Queries the realm in the ways an app does.

import RealmSwift

/// Queries, links and aggregates over the imported data.
@MainActor
struct Tour {
  let realm: Realm
  let terminal: Terminal

  func run() {
    queries()
    links()
    aggregates()
  }

  private func queries() {
    let cities = realm.objects(City.self)
    terminal.line("\nThe five largest cities of Europe (a query through a link, sorted):")
    let european = cities.where { $0.country.continent == "Europe" }
      .sorted(byKeyPath: "population", ascending: false)
    for city in european.prefix(5) {
      let country = city.country?.name ?? "nowhere"
      terminal.line("  \(city.name), \(country): \(city.population.grouped)")
    }
    let saints = cities.where { $0.name.starts(with: "San ") && $0.population > 100_000 }
    terminal.line("Cities called San … with more than 100,000 people: \(saints.count)")
    let tropical = cities.where { $0.latitude > -23.4366 && $0.latitude < 23.4366 }
    terminal.line("Cities in the tropics: \(tropical.count.grouped)")
    if let northernmost = cities.sorted(byKeyPath: "latitude").last {
      let degrees = (northernmost.latitude * 100).rounded() / 100
      terminal.line("The northernmost: \(northernmost.name), \(degrees)° N")
    }
  }

  private func links() {
    guard let japan = realm.object(ofType: Country.self, forPrimaryKey: "JP") else { return }
    let capital = japan.capital?.name ?? "none"
    terminal.line("\nJapan has \(japan.cities.count.grouped) cities; its capital is \(capital).")
    if let city = japan.cities.last, let country = city.country, let lister = city.listedIn.first {
      terminal.line(
        "The last in its list is \(city.name), which links to \(country.name);"
          + " the backlink of the list leads to \(lister.name).")
    }
    let zones = Set(japan.cities.map(\.timeZone)).sorted().joined(separator: ", ")
    terminal.line("Their time zones: \(zones)")
  }

  private func aggregates() {
    let cities = realm.objects(City.self)
    let people: Int = cities.sum(of: \.population)
    let largest = cities.max(of: \.population) ?? 0
    let average: Double = cities.average(ofProperty: "population") ?? 0
    terminal.line("\nPeople in all cities: \(people.grouped)")
    terminal.line(
      "In the largest: \(largest.grouped); on average: \(Int(average.rounded()).grouped)")
  }
}
