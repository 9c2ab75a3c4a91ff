// SPDX-License-Identifier: Apache-2.0

// Regions of the earth: literals of query strings, and values of the program.

import RealmTables

extension QueryBinder {
  /// The region that an operand is: an argument, a value or a literal; nil for others.
  func region(_ operand: Operand) throws(QueryError) -> GeoRegion? {
    let constant: QueryConstant?
    switch operand {
    case .region(let literal): return try region(literal)
    case .argument(let value): constant = try schema.argument(value)
    case .constant(let value): constant = try schema.constant(value)
    default: return nil
    }
    return if case .region(let region) = constant { region } else { nil }
  }

  func region(_ literal: RegionLiteral) throws(QueryError) -> GeoRegion {
    switch literal {
    case .box(let first, let second):
      return .box(
        from: try point(first, of: "geoBox"), to: try point(second, of: "geoBox"))
    case .circle(let center, let radius):
      let center = try point(center, of: "geoCircle")
      let radius = try number(radius, of: "geoCircle")
      guard radius >= 0 else { throw refusal("geoCircle", "the radius is negative") }
      return .circle(center, radius: radius)
    case .polygon(let rings):
      let rings = try rings.map(ring)
      guard rings.allSatisfy({ $0.count >= 4 && $0.first == $0.last }) else {
        throw refusal(
          "geoPolygon", "a ring needs at least four points, of which the last is the first")
      }
      return .polygon(rings)
    }
  }

  private func ring(_ corners: [[Operand]]) throws(QueryError) -> [GeoRegion.Point] {
    var points: [GeoRegion.Point] = []
    for corner in corners { points.append(try point(corner, of: "geoPolygon")) }
    return points
  }

  private func point(
    _ coordinates: [Operand], of shape: String
  ) throws(QueryError) -> GeoRegion.Point {
    var numbers: [Double] = []
    for coordinate in coordinates { numbers.append(try number(coordinate, of: shape)) }
    let point = GeoRegion.Point(latitude: numbers[1], longitude: numbers[0])
    guard (-90...90).contains(point.latitude), (-180...180).contains(point.longitude),
      numbers.count < 3 || numbers[2] >= 0
    else {
      throw refusal(
        shape, "there is no place with longitude \(numbers[0]), latitude \(numbers[1])")
    }
    return point
  }

  private func number(_ operand: Operand, of shape: String) throws(QueryError) -> Double {
    if case .path = operand {
      throw .invalid("Predicate expressions must compare a keypath and a value.")
    }
    switch try known(constant(operand, beside: nil)) {
    case .double(let number): return number
    case .int(let number): return Double(number)
    case .float(let number): return Double(number)
    default: throw refusal(shape, "a number is missing")
    }
  }

  private func refusal(_ shape: String, _ reason: String) -> QueryError {
    .invalid("Invalid region in GEOWITHIN query for parameter '\(shape)': '\(reason)'")
  }
}
