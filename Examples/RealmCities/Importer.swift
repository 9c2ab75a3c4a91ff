// SPDX-License-Identifier: Apache-2.0

// Writes the data set into the realm, outside of the main actor.

import RealmSwift

/// An actor with a realm of its own: the main actor observes its writes as changes.
actor Importer {
  private var realm: Realm!  // Set once, by `init`; nil again after `close()`.

  init(_ configuration: Realm.Configuration) async throws {
    realm = try await Realm(configuration: configuration, actor: self)
  }

  /// Closes the actor's realm.
  func close() {
    realm = nil
  }

  /// Imports the missing cities, and reports after each transaction how many are done.
  func run(_ data: DataSet, batch: Int, progress: @Sendable (Int) -> Void) async throws {
    try await importCountries(data.countries)
    for start in stride(from: 0, to: data.cities.count, by: batch) {
      let end = min(start + batch, data.cities.count)
      try await importCities(data.cities[start..<end])
      progress(end)
    }
    try await nameCapitals(data.countries)
  }

  private func importCountries(_ rows: [CountryRow]) async throws {
    try await realm.asyncWrite {
      for row in rows where realm.object(ofType: Country.self, forPrimaryKey: row.code) == nil {
        let country = Country()
        country.code = row.code
        country.name = row.name
        country.continent = row.continent
        country.areaSquareKilometres = row.areaSquareKilometres
        country.population = row.population
        realm.add(country)
      }
    }
  }

  private func importCities(_ rows: ArraySlice<CityRow>) async throws {
    try await realm.asyncWrite {
      for row in rows where realm.object(ofType: City.self, forPrimaryKey: row.id) == nil {
        let country = realm.object(ofType: Country.self, forPrimaryKey: row.countryCode)
        let city = City()
        city.id = row.id
        city.name = row.name
        city.latitude = row.latitude
        city.longitude = row.longitude
        city.population = row.population
        city.timeZone = row.timeZone
        city.country = country
        realm.add(city)
        country?.cities.append(city)
      }
    }
  }

  /// Links each country with the city that has the name of its capital.
  private func nameCapitals(_ rows: [CountryRow]) async throws {
    try await realm.asyncWrite {
      for row in rows where !row.capital.isEmpty {
        guard let country = realm.object(ofType: Country.self, forPrimaryKey: row.code),
          let capital = country.cities.where({ $0.name == row.capital })
            .sorted(byKeyPath: "population", ascending: false).first
        else { continue }
        country.capital = capital
      }
    }
  }
}
