// SPDX-License-Identifier: Apache-2.0

// Regions of the earth in query strings.

import RealmQuery

extension QueryBinder {
  /// The shape that an operand is: an argument or a literal; nil if it is something else.
  func region(_ operand: ParsedOperand) -> (any GeoShape)? {
    switch operand {
    case .region(let region): shape(region)
    case .argument(let number) where number < arguments.count:
      arguments[number] as? any GeoShape
    default: nil
    }
  }

  /// The shape that a literal stands for. Ends the process if there is none.
  func shape(_ region: ParsedRegion) -> any GeoShape {
    switch region {
    case .box(let first, let second):
      return GeoBox(bottomLeft: point(first, of: "geoBox"), topRight: point(second, of: "geoBox"))
    case .circle(let center, let radius):
      let center = point(center, of: "geoCircle")
      guard let circle = GeoCircle(center: center, radiusInRadians: number(radius, of: "geoCircle"))
      else { refuse("geoCircle", "the radius is negative") }
      return circle
    case .polygon(let rings):
      let rings = rings.map { ring in ring.map { point($0, of: "geoPolygon") } }
      guard let polygon = GeoPolygon(outerRing: rings[0], holes: Array(rings.dropFirst())) else {
        refuse("geoPolygon", "a ring needs at least four points, of which the last is the first")
      }
      return polygon
    }
  }

  private func point(_ coordinates: [ParsedOperand], of shape: String) -> GeoPoint {
    let numbers = coordinates.map { number($0, of: shape) }
    let altitude = numbers.count > 2 ? numbers[2] : 0
    guard let point = GeoPoint(latitude: numbers[1], longitude: numbers[0], altitude: altitude)
    else { refuse(shape, "there is no place with longitude \(numbers[0]), latitude \(numbers[1])") }
    return point
  }

  private func number(_ operand: ParsedOperand, of shape: String) -> Double {
    switch value(operand) {
    case let number as Double: number
    case let number as Int: Double(number)
    case let number as Float: Double(number)
    default: refuse(shape, "a number is missing")
    }
  }

  private func refuse(_ shape: String, _ reason: String) -> Never {
    throwRealmException("Invalid region in GEOWITHIN query for parameter '\(shape)': '\(reason)'")
  }
}
