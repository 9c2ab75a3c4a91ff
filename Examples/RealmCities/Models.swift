// SPDX-License-Identifier: Apache-2.0

// The two classes of the example, linked both ways.

import RealmSwift

/// A country or territory.
final class Country: Object {
  /// The two-letter code of ISO 3166.
  @Persisted(primaryKey: true) var code: String
  @Persisted(indexed: true) var name: String
  @Persisted var continent: String
  @Persisted var areaSquareKilometres: Double
  @Persisted var population: Int
  @Persisted var capital: City?
  @Persisted var cities: List<City>
}

/// A city, or the seat of an administrative division.
final class City: Object {
  /// The identifier of the city in GeoNames.
  @Persisted(primaryKey: true) var id: Int
  @Persisted(indexed: true) var name: String
  @Persisted var latitude: Double
  @Persisted var longitude: Double
  @Persisted var population: Int
  @Persisted var timeZone: String
  @Persisted var country: Country?
  /// The countries whose lists contain the city: the inverse of `Country.cities`.
  @Persisted(originProperty: "cities") var listedIn: LinkingObjects<Country>
}
