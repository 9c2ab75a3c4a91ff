// SPDX-License-Identifier: Apache-2.0

// Compares what the realm holds with what was imported.

import RealmSwift

/// The realm does not hold what it should.
struct VerificationError: Error, CustomStringConvertible {
  var description: String
}

/// Reads every object and follows every link.
@MainActor
struct Verification {
  let realm: Realm
  let data: DataSet

  /// Throws if anything is missing, doubled or different.
  func run() throws {
    try expect(realm.objects(City.self).count == data.cities.count, "the number of cities")
    try expect(realm.objects(Country.self).count == data.countries.count, "the number of countries")
    for row in data.countries {
      let country = realm.object(ofType: Country.self, forPrimaryKey: row.code)
      try expect(
        country?.name == row.name && country?.continent == row.continent
          && country?.areaSquareKilometres == row.areaSquareKilometres
          && country?.population == row.population, row.name)
    }
    var listed = 0
    for country in realm.objects(Country.self) {
      listed += country.cities.count
      for city in country.cities {
        try expect(city.country?.code == country.code, "the links of \(city.name)")
      }
    }
    try expect(listed == data.cities.count, "the lists of cities")
    for row in data.cities {
      let city = realm.object(ofType: City.self, forPrimaryKey: row.id)
      try expect(
        city?.name == row.name && city?.country?.code == row.countryCode
          && city?.latitude == row.latitude && city?.longitude == row.longitude
          && city?.population == row.population && city?.timeZone == row.timeZone
          && city?.listedIn.count == 1 && city?.listedIn.first?.code == row.countryCode, row.name)
    }
  }

  private func expect(_ condition: Bool, _ what: String) throws {
    guard condition else { throw VerificationError(description: "\(what): not what was imported") }
  }
}
