// SPDX-License-Identifier: Apache-2.0

// Directions from the middle of the earth, which represent positions on it.

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A direction from the middle of the earth.
struct SphereVector {
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
