// SPDX-License-Identifier: Apache-2.0

// Regions of the earth in query strings.

import RealmQuery

extension QueryBinder {
  /// The shape that an operand is: an argument or a literal; nil if it is something else.
  func region(_ operand: ParsedOperand) throws -> (any GeoShape)? {
    switch operand {
    case .region(let region): try shape(region)
    case .argument(let number) where number < arguments.count:
      arguments[number] as? any GeoShape
    default: nil
    }
  }

  /// The shape that a literal stands for.
  func shape(_ region: ParsedRegion) throws -> any GeoShape {
    switch region {
    case .box(let first, let second):
      return try GeoBox(
        bottomLeft: point(first, of: "geoBox"), topRight: point(second, of: "geoBox"))
    case .circle(let center, let radius):
      let center = try point(center, of: "geoCircle")
      guard
        let circle = try GeoCircle(center: center, radiusInRadians: number(radius, of: "geoCircle"))
      else { throw refusal("geoCircle", "the radius is negative") }
      return circle
    case .polygon(let rings):
      let rings = try rings.map { ring in try ring.map { try point($0, of: "geoPolygon") } }
      guard let polygon = GeoPolygon(outerRing: rings[0], holes: Array(rings.dropFirst())) else {
        throw refusal(
          "geoPolygon", "a ring needs at least four points, of which the last is the first")
      }
      return polygon
    }
  }

  private func point(_ coordinates: [ParsedOperand], of shape: String) throws -> GeoPoint {
    let numbers = try coordinates.map { try number($0, of: shape) }
    let altitude = numbers.count > 2 ? numbers[2] : 0
    guard let point = GeoPoint(latitude: numbers[1], longitude: numbers[0], altitude: altitude)
    else {
      throw refusal(
        shape, "there is no place with longitude \(numbers[0]), latitude \(numbers[1])")
    }
    return point
  }

  private func number(_ operand: ParsedOperand, of shape: String) throws -> Double {
    switch try value(operand) {
    case let number as Double: number
    case let number as Int: Double(number)
    case let number as Float: Double(number)
    default: throw refusal(shape, "a number is missing")
    }
  }

  private func refusal(_ shape: String, _ reason: String) -> QueryMistake {
    QueryMistake("Invalid region in GEOWITHIN query for parameter '\(shape)': '\(reason)'")
  }
}
