// SPDX-License-Identifier: Apache-2.0

// Regions of the earth, as queries name them.

import RealmQuery

/// A region of the earth for queries: `GeoBox`, `GeoPolygon` and `GeoCircle`.
public protocol GeoShape: Hashable, Sendable {
  /// The region as the engine represents it.
  var _region: _GeoRegion { get }
}

/// A region as the engine represents it.
public struct _GeoRegion {
  let region: GeoRegion
}

extension GeoShape {
  var geoRegion: GeoRegion { _region.region }
}

/// The region between two latitudes and two longitudes.
public struct GeoBox: GeoShape {
  /// The corner in the southwest.
  public let bottomLeft: GeoPoint

  /// The corner in the northeast. If its longitude is less than that of the other corner, the box
  /// lies around the 180th meridian.
  public let topRight: GeoPoint

  /// The box between two corners.
  public init(bottomLeft: GeoPoint, topRight: GeoPoint) {
    self.bottomLeft = bottomLeft
    self.topRight = topRight
  }

  /// The box between two corners, each a latitude and a longitude; nil if one is out of range.
  public init?(bottomLeft: (Double, Double), topRight: (Double, Double)) {
    guard let bottomLeft = GeoPoint(bottomLeft), let topRight = GeoPoint(topRight) else {
      return nil
    }
    self.init(bottomLeft: bottomLeft, topRight: topRight)
  }

  public var _region: _GeoRegion {
    _GeoRegion(region: .box(from: bottomLeft.enginePoint, to: topRight.enginePoint))
  }
}

/// The region within a ring of points, without the regions within further rings.
///
/// The sides are the shortest paths on the sphere; a ring encloses less than half of it. Queries
/// refuse polygons whose sides cross or are the same, and whose further rings lie outside of the
/// first or within each other.
public struct GeoPolygon: GeoShape {
  /// The corners of the region; the last equals the first.
  public let outerRing: [GeoPoint]

  /// The corners of the regions that are left out.
  public let holes: [[GeoPoint]]

  /// The region with these corners; nil unless each ring has at least four, of which the last
  /// equals the first.
  public init?(outerRing: [GeoPoint], holes: [GeoPoint]...) {
    self.init(outerRing: outerRing, holes: holes)
  }

  /// The region with these corners; nil unless each ring has at least four, of which the last
  /// equals the first.
  public init?(outerRing: [GeoPoint], holes: [[GeoPoint]]) {
    guard ([outerRing] + holes).allSatisfy({ $0.count >= 4 && $0.first == $0.last }) else {
      return nil
    }
    self.outerRing = outerRing
    self.holes = holes
  }

  /// The region with these corners, each a latitude and a longitude; nil if one is out of range,
  /// and unless each ring has at least four, of which the last equals the first.
  public init?(outerRing: [(Double, Double)], holes: [(Double, Double)]...) {
    self.init(outerRing: outerRing, holes: holes)
  }

  /// The region with these corners, each a latitude and a longitude; nil if one is out of range,
  /// and unless each ring has at least four, of which the last equals the first.
  public init?(outerRing: [(Double, Double)], holes: [[(Double, Double)]]) {
    let outer = outerRing.compactMap { GeoPoint($0) }
    let inner = holes.map { ring in ring.compactMap { GeoPoint($0) } }
    guard outer.count == outerRing.count, inner.map(\.count) == holes.map(\.count) else {
      return nil
    }
    self.init(outerRing: outer, holes: inner)
  }

  public var _region: _GeoRegion {
    _GeoRegion(region: .polygon(([outerRing] + holes).map { $0.map(\.enginePoint) }))
  }
}

/// The region around a point.
public struct GeoCircle: GeoShape {
  /// The center.
  public let center: GeoPoint

  /// The radius, as an angle at the center of the earth.
  public let radiusInRadians: Double

  /// The region with this center and radius; nil if the radius is negative.
  public init?(center: GeoPoint, radiusInRadians: Double) {
    guard radiusInRadians >= 0 else { return nil }
    self.center = center
    self.radiusInRadians = radiusInRadians
  }

  /// The region with this center and radius.
  public init(center: GeoPoint, radius: Distance) {
    self.center = center
    radiusInRadians = radius.radians
  }

  /// The region around a latitude and a longitude; nil if these are out of range, or the radius is
  /// negative.
  public init?(center: (Double, Double), radiusInRadians: Double) {
    guard let center = GeoPoint(center) else { return nil }
    self.init(center: center, radiusInRadians: radiusInRadians)
  }

  /// The region around a latitude and a longitude; nil if these are out of range.
  public init?(center: (Double, Double), radius: Distance) {
    guard let center = GeoPoint(center) else { return nil }
    self.init(center: center, radius: radius)
  }

  public var _region: _GeoRegion {
    _GeoRegion(region: .circle(center.enginePoint, radius: radiusInRadians))
  }
}

extension GeoPolygon: CustomStringConvertible {
  /// The polygon as query strings spell it.
  public var description: String {
    let rings = ([outerRing] + holes).map { ring in
      "{" + ring.map { "[\($0.longitude), \($0.latitude)]" }.joined(separator: ", ") + "}"
    }
    return "geoPolygon(\(rings.joined(separator: ", ")))"
  }
}
