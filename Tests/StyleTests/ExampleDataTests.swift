// SPDX-License-Identifier: Apache-2.0

import Testing

/// The data set that comes with the example: whole, consistent, and attributed.
struct ExampleDataTests {
  private static func rows(_ name: String) throws -> [[Substring]] {
    try Repository.text("Examples/RealmCities/Data/\(name).tsv")
      .split(separator: "\n")
      .map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
  }

  @Test func countriesAreUnique() throws {
    let rows = try Self.rows("countries").dropFirst()
    #expect(rows.count == 252)
    #expect(rows.allSatisfy { $0.count == 6 && $0[0].utf8.count == 2 })
    #expect(Set(rows.map { $0[0] }).count == rows.count)
  }

  @Test func citiesAreUniqueAndInKnownCountries() throws {
    let codes = Set(try Self.rows("countries").dropFirst().map { $0[0] })
    let rows = try Self.rows("cities").dropFirst()
    #expect(rows.count == 34_006)
    #expect(rows.allSatisfy { $0.count == 7 && codes.contains($0[2]) })
    #expect(Set(rows.map { $0[0] }).count == rows.count)
    #expect(rows.allSatisfy { abs(Double($0[3]) ?? 91) <= 90 && abs(Double($0[4]) ?? 181) <= 180 })
  }

  @Test(arguments: ["README.md", "Examples/RealmCities/DATA.md"])
  func theSourceIsNamed(in path: String) throws {
    let text = try Repository.text(path)
    #expect(text.contains("https://www.geonames.org"))
    #expect(text.contains("CC BY 4.0") || text.contains("Creative Commons Attribution 4.0"))
  }
}
