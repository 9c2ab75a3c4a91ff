// SPDX-License-Identifier: Apache-2.0

// Reads the two tables of GeoNames that come with the example (see DATA.md).

import Foundation

/// A line of `countries.tsv`.
struct CountryRow: Sendable {
  var code: String
  var name: String
  var capital: String
  var continent: String
  var areaSquareKilometres: Double
  var population: Int

  init?(_ fields: [Substring]) {
    guard fields.count == 6, let area = Double(fields[4]), let population = Int(fields[5]) else {
      return nil
    }
    code = String(fields[0])
    name = String(fields[1])
    capital = String(fields[2])
    continent = String(fields[3])
    areaSquareKilometres = area
    self.population = population
  }
}

/// A line of `cities.tsv`.
struct CityRow: Sendable {
  var id: Int
  var name: String
  var countryCode: String
  var latitude: Double
  var longitude: Double
  var population: Int
  var timeZone: String

  init?(_ fields: [Substring]) {
    guard fields.count == 7, let id = Int(fields[0]), let latitude = Double(fields[3]),
      let longitude = Double(fields[4]), let population = Int(fields[5])
    else { return nil }
    self.id = id
    name = String(fields[1])
    countryCode = String(fields[2])
    self.latitude = latitude
    self.longitude = longitude
    self.population = population
    timeZone = String(fields[6])
  }
}

/// Everything that is imported.
struct DataSet: Sendable {
  var countries: [CountryRow]
  var cities: [CityRow]

  /// Reads the files that the package carries.
  static func load() throws -> DataSet {
    DataSet(
      countries: try rows("countries", CountryRow.init), cities: try rows("cities", CityRow.init))
  }

  private static func rows<Row>(_ name: String, _ row: ([Substring]) -> Row?) throws -> [Row] {
    guard
      let file = Bundle.module.url(forResource: name, withExtension: "tsv", subdirectory: "Data")
    else { throw DataSetError(description: "\(name).tsv is missing") }
    let text = try String(contentsOf: file, encoding: .utf8)
    // The first line names the columns.
    return try text.split(separator: "\n").dropFirst().map { line in
      guard let row = row(line.split(separator: "\t", omittingEmptySubsequences: false)) else {
        throw DataSetError(description: "\(name).tsv has a bad line: \(line)")
      }
      return row
    }
  }
}

/// The data that comes with the example is damaged.
struct DataSetError: Error, CustomStringConvertible {
  var description: String
}
