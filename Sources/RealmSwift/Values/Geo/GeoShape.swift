// SPDX-License-Identifier: Apache-2.0

// Regions of the earth, as queries name them.

import RealmQuery

/// A region of the earth that queries can ask for: `GeoBox`, `GeoPolygon` and `GeoCircle`.
public protocol GeoShape: Hashable, Sendable {
  /// The region in the engine's terms.
  var _region: _GeoRegion { get }
}

/// A region in the engine's terms.
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

  /// The box between two corners, each a latitude and a longitude; nil if one is no place.
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

/// The region within a ring of places, without what lies within further rings.
///
/// The sides are the shortest ways on the sphere; what a ring encloses is less than half of it.
/// Queries refuse polygons whose sides cross or are the same, and whose further rings lie outside
/// of the first or within each other.
public struct GeoPolygon: GeoShape {
  /// The corners of the region; the last is the first again.
  public let outerRing: [GeoPoint]

  /// The corners of what is left out of the region.
  public let holes: [[GeoPoint]]

  /// The region with these corners; nil unless each ring has at least four, of which the last is
  /// the first.
  public init?(outerRing: [GeoPoint], holes: [GeoPoint]...) {
    self.init(outerRing: outerRing, holes: holes)
  }

  /// The region with these corners; nil unless each ring has at least four, of which the last is
  /// the first.
  public init?(outerRing: [GeoPoint], holes: [[GeoPoint]]) {
    guard ([outerRing] + holes).allSatisfy({ $0.count >= 4 && $0.first == $0.last }) else {
      return nil
    }
    self.outerRing = outerRing
    self.holes = holes
  }

  /// The region with these corners, each a latitude and a longitude; nil if one is no place, and
  /// unless each ring has at least four, of which the last is the first.
  public init?(outerRing: [(Double, Double)], holes: [(Double, Double)]...) {
    self.init(outerRing: outerRing, holes: holes)
  }

  /// The region with these corners, each a latitude and a longitude; nil if one is no place, and
  /// unless each ring has at least four, of which the last is the first.
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

/// The region around a place.
public struct GeoCircle: GeoShape {
  /// The middle.
  public let center: GeoPoint

  /// How far the region reaches, as an angle at the middle of the earth.
  public let radiusInRadians: Double

  /// The region that reaches so far; nil if the radius is negative.
  public init?(center: GeoPoint, radiusInRadians: Double) {
    guard radiusInRadians >= 0 else { return nil }
    self.center = center
    self.radiusInRadians = radiusInRadians
  }

  /// The region that reaches so far.
  public init(center: GeoPoint, radius: Distance) {
    self.center = center
    radiusInRadians = radius.radians
  }

  /// The region that reaches so far from a latitude and a longitude; nil if these are no place, or
  /// the radius is negative.
  public init?(center: (Double, Double), radiusInRadians: Double) {
    guard let center = GeoPoint(center) else { return nil }
    self.init(center: center, radiusInRadians: radiusInRadians)
  }

  /// The region that reaches so far from a latitude and a longitude; nil if these are no place.
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
