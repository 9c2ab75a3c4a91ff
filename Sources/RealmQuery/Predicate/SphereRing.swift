// SPDX-License-Identifier: Apache-2.0

// Rings on the earth: what they enclose, and what is wrong with them.

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A closed line of shortest ways, which encloses the smaller part of the sphere.
struct SphereRing {
  let corners: [SphereVector]

  init(_ points: [GeoRegion.Point]) { corners = points.map { SphereVector($0) } }

  /// Whether the direction from the point to a walker along the ring turns around once.
  func contains(_ point: GeoRegion.Point) -> Bool {
    let place = SphereVector(point).parts
    let middle = corners.reduce(SIMD3<Double>.zero) { $0 + $1.parts }
    // Around a point on the other side of the earth the direction turns as well.
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

  /// A side of a ring.
  struct Side {
    let start: SIMD3<Double>
    let end: SIMD3<Double>

    /// Whether two sides cross at a point that is an end of neither.
    func crosses(_ other: Side) -> Bool {
      // Rounding would make those that meet at an end cross there.
      if start == other.start || start == other.end || end == other.start || end == other.end {
        return false
      }
      let own = SphereVector.cross(start, end)
      let startTurn = -SphereVector.dot(own, other.start)
      let endTurn = SphereVector.dot(own, other.end)
      guard startTurn * endTurn > 0 else { return false }
      let its = SphereVector.cross(other.start, other.end)
      return startTurn * -SphereVector.dot(its, end) > 0
        && startTurn * SphereVector.dot(its, start) > 0
    }

    /// Whether two sides have the same ends, whichever way they go.
    func isSame(as other: Side) -> Bool {
      start == other.start && end == other.end || start == other.end && end == other.start
    }
  }

  var sides: [Side] {
    zip(corners, corners.dropFirst()).map { Side(start: $0.parts, end: $1.parts) }
  }
}

extension GeoRegion {
  /// The flaw of the region, in words; nil if it has none.
  ///
  /// - Complexity: O(n²) in the number of corners.
  package var flaw: String? {
    guard case .polygon(let points) = self else { return nil }
    let rings = points.map { SphereRing($0) }
    for (number, ring) in rings.enumerated() {
      if let flaw = ring.flaw { return "Ring \(number) is not valid: \(flaw)" }
    }
    for first in rings.indices {
      for second in rings.indices where second > first {
        for (index, side) in rings[first].sides.enumerated() {
          for (other, otherSide) in rings[second].sides.enumerated() {
            if side.isSame(as: otherSide) {
              return
                "Duplicate edge: ring \(first), edge \(index) and ring \(second), edge \(other)"
            }
            if side.crosses(otherSide) {
              return "Edges cross: ring \(first), edge \(index) and ring \(second), edge \(other)"
            }
          }
        }
      }
    }
    return GeoRegion.nestingFlaw(points, rings)
  }

  /// The flaw of how rings that do not cross lie to each other.
  private static func nestingFlaw(_ points: [[Point]], _ rings: [SphereRing]) -> String? {
    /// Whether a ring lies within another: by a corner that is none of the other's.
    func isWithin(_ inner: Int, _ outer: Int) -> Bool {
      let own = Set(points[outer])
      return points[inner].first { !own.contains($0) }.map { rings[outer].contains($0) } ?? true
    }
    for number in rings.indices.dropFirst() {
      guard isWithin(number, 0) else {
        return
          "Secondary ring \(number) not contained by first exterior ring - secondary rings must "
          + "be holes in the first ring"
      }
      for other in rings.indices.dropFirst() where other != number {
        if isWithin(number, other) {
          return "Secondary ring \(number) is nested in secondary ring \(other)"
        }
      }
    }
    return nil
  }
}

extension SphereRing {
  /// The flaw of the ring by itself; nil if it has none.
  fileprivate var flaw: String? {
    let sides = sides
    for first in sides.indices {
      for second in sides.indices where second > first {
        if sides[first].isSame(as: sides[second]) {
          return "Duplicate edge: edges \(first) and \(second)"
        }
        if sides[first].start == sides[second].start {
          return "Duplicate vertices: \(first) and \(second)"
        }
        if sides[first].crosses(sides[second]) { return "Edges \(first) and \(second) cross" }
      }
    }
    return nil
  }
}
