// SPDX-License-Identifier: Apache-2.0

// Regions of the earth, and which points are in them. The earth is a sphere, and the sides of a
// polygon are the shortest lines between its corners.

/// A region on the earth.
package indirect enum GeoRegion: Hashable, Sendable {
  /// A position in degrees.
  package struct Point: Hashable, Sendable {
    package var latitude: Double
    package var longitude: Double

    package init(latitude: Double, longitude: Double) {
      self.latitude = latitude
      self.longitude = longitude
    }
  }

  /// Between two latitudes, and from one longitude eastward to another.
  case box(from: Point, to: Point)
  /// Within the first ring and in none of the others; the last point of a ring is its first.
  case polygon([[Point]])
  /// Not further from a point than an angle in radians.
  case circle(Point, radius: Double)

  /// Whether a point is in the region or on its edge; of polygons edges are not sure to belong.
  package func contains(_ point: Point) -> Bool {
    switch self {
    case .box(let low, let high):
      guard point.latitude >= low.latitude, point.latitude <= high.latitude else { return false }
      return low.longitude <= high.longitude
        ? point.longitude >= low.longitude && point.longitude <= high.longitude
        : point.longitude >= low.longitude || point.longitude <= high.longitude
    case .polygon(let rings):
      guard let outer = rings.first, SphereRing(outer).contains(point) else { return false }
      return !rings.dropFirst().contains { SphereRing($0).contains(point) }
    case .circle(let center, let radius):
      return SphereVector(center).angle(to: SphereVector(point)) <= radius
    }
  }
}

extension GeoRegion: CustomStringConvertible {
  /// The region as query strings spell it.
  package var description: String {
    func text(_ point: Point) -> String { "[\(point.longitude), \(point.latitude)]" }
    switch self {
    case .box(let low, let high): return "geoBox(\(text(low)), \(text(high)))"
    case .circle(let center, let radius): return "geoCircle(\(text(center)), \(radius))"
    case .polygon(let rings):
      let rings = rings.map { "{" + $0.map(text).joined(separator: ", ") + "}" }
      return "geoPolygon(\(rings.joined(separator: ", ")))"
    }
  }
}
