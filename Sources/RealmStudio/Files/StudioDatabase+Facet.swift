// SPDX-License-Identifier: Apache-2.0

// How often each value of a property occurs.

#if Tools
import RealmFormats
import RealmQuery
import RealmStorage
import RealmTables

extension StudioDatabase {
  /// The most values of an answer.
  static let facetValueCountMax = 50
  /// The most different values that are counted; objects with further ones are counted together.
  static let facetDistinctCountMax = 100_000

  /// The most frequent values of a property over the objects of a request, each with the number of
  /// its objects, and how many different ones there are.
  ///
  /// Equally frequent values come in the order in which they are met.
  func facet(of property: String, in request: Listing.Request) throws -> JSONValue {
    let classes = try classes()
    let schema = try classes.required(request.className)
    let column = try schema.required(property)
    guard column.collection == .none else {
      throw StudioFailure(
        400, "The values of '\(property)' cannot be counted.",
        remedy: "Choose a property with one value for each object.")
    }
    let listing = try listing(request, in: classes)
    var counts: [TableValue: (number: Int, order: Int)] = [:]
    if let table = try classes.reader.readTable(schema.key) {
      try listing.forEachRow(of: table) { row in
        let value = try row.value(of: column)
        let order = counts.count
        if order < Self.facetDistinctCountMax || counts[value] != nil {
          counts[value, default: (0, order)].number += 1
        }
      }
    }
    let reader = CellReader(classes: classes)
    let frequent = counts.sorted {
      ($0.value.number, $1.value.order) > ($1.value.number, $0.value.order)
    }.prefix(Self.facetValueCountMax)
    let shownCount = frequent.reduce(0) { $0 + $1.value.number }
    return [
      "values": .array(
        try frequent.map { value, count in
          ["value": try reader.cell(value, in: column), "count": JSONValue(count.number)]
        }),
      "distinct": JSONValue(counts.count), "others": JSONValue(listing.count - shownCount),
    ]
  }
}
#endif
