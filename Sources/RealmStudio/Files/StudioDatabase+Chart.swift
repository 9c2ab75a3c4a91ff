// SPDX-License-Identifier: Apache-2.0

// The distribution of a property's values.

#if Tools
import RealmQuery
import RealmStorage
import RealmFormats
import RealmTables

extension StudioDatabase {
  /// The most bins of a chart.
  static let binCountMax = 200

  /// The numbers of a property's values in intervals of equal width, over the objects of a request.
  func histogram(of property: String, in request: Listing.Request, bins: Int) throws -> JSONValue {
    let classes = try classes()
    let schema = try classes.required(request.className)
    let column = try schema.required(property)
    guard column.collection == .none,
      [.int, .float, .double, .decimal, .timestamp].contains(column.type)
    else {
      throw StudioFailure(
        400, "'\(property)' has no chart.", remedy: "Choose a property of numbers or dates.")
    }
    let listing = try listing(request, in: classes)
    let values = try classes.reader.readTable(schema.key).map {
      try Self.values(of: column, listing, in: $0)
    }
    return Histogram(values ?? [], bins: bins).json
  }

  private static func values(
    of column: Column, _ listing: Listing, in table: Table
  ) throws -> [Double?] {
    var values: [Double?] = []
    values.reserveCapacity(listing.count)
    try listing.forEachRow(of: table) { values.append(try number(column, of: $0)) }
    return values
  }

  /// A number, or the seconds of a date; nil for null.
  private static func number(_ column: Column, of row: Row) throws -> Double? {
    switch try row.value(of: column) {
    case .int(let number): Double(number)
    case .float(let number): Double(number)
    case .double(let number): number
    case .decimal(let number): ValueText.query.string(.decimal(number)).flatMap(Double.init)
    case .timestamp(let time): Double(time.seconds) + Double(time.nanoseconds) / 1e9
    default: nil
    }
  }
}
#endif
