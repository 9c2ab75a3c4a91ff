// SPDX-License-Identifier: Apache-2.0

// Regions of the earth, and which points are in them. The earth is a sphere, and the sides of a
// polygon are the shortest ways between its corners.

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

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

/// A direction from the middle of the earth.
private struct SphereVector {
  var parts: SIMD3<Double>

  init(_ point: GeoRegion.Point) {
    let latitude = point.latitude * .pi / 180
    let longitude = point.longitude * .pi / 180
    parts = SIMD3(
      cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude))
  }

  static func dot(_ left: SIMD3<Double>, _ right: SIMD3<Double>) -> Double {
    (left * right).sum()
  }

  static func cross(_ left: SIMD3<Double>, _ right: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(
      left.y * right.z - left.z * right.y, left.z * right.x - left.x * right.z,
      left.x * right.y - left.y * right.x)
  }

  /// The angle between the two, exact also where it is small.
  func angle(to other: SphereVector) -> Double {
    let cross = SphereVector.cross(parts, other.parts)
    return atan2(
      SphereVector.dot(cross, cross).squareRoot(), SphereVector.dot(parts, other.parts))
  }
}

/// A closed line of shortest ways, which encloses the smaller part of the sphere.
private struct SphereRing {
  private let corners: [SphereVector]

  init(_ points: [GeoRegion.Point]) { corners = points.map { SphereVector($0) } }

  /// Whether somebody at the point who watches one walk along the ring turns around once.
  func contains(_ point: GeoRegion.Point) -> Bool {
    let place = SphereVector(point).parts
    let middle = corners.reduce(SIMD3<Double>.zero) { $0 + $1.parts }
    // What is seen from the other side of the earth turns as well.
    guard SphereVector.dot(place, middle) > 0 else { return false }
    var turned = 0.0
    for (corner, next) in zip(corners, corners.dropFirst()) {
      // Directions to both, in the plane that touches the sphere here.
      let first = corner.parts - place * SphereVector.dot(corner.parts, place)
      let second = next.parts - place * SphereVector.dot(next.parts, place)
      turned += atan2(
        SphereVector.dot(SphereVector.cross(first, second), place),
        SphereVector.dot(first, second))
    }
    return abs(turned) > .pi
  }
}
