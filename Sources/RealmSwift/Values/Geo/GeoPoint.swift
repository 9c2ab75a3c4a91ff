// SPDX-License-Identifier: Apache-2.0

// Points on the earth, as queries name them.

import RealmQuery

/// A point on the earth.
///
/// Objects store points as embedded objects with the properties `type`, which is "Point", and
/// `coordinates`, a list of longitude, latitude and, optionally, altitude:
///
/// ```swift
/// class Location: EmbeddedObject {
///   @Persisted private var coordinates: List<Double>
///   @Persisted private var type: String = "Point"
/// }
/// ```
/// `$0.location.geoWithin(GeoCircle(center: here, radius: far))` tests whether one is in a region.
public struct GeoPoint: Hashable, Sendable {
  /// Degrees north of the equator, from -90 to 90.
  public let latitude: Double

  /// Degrees east of Greenwich, from -180 to 180.
  public let longitude: Double

  /// Meters above the sea, at least 0. Queries ignore it.
  public let altitude: Double

  /// The point at these coordinates; nil if they are out of range.
  public init?(latitude: Double, longitude: Double, altitude: Double = 0) {
    guard (-90...90).contains(latitude), (-180...180).contains(longitude), altitude >= 0 else {
      return nil
    }
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude
  }

  /// The point at a latitude and a longitude; nil if they are out of range.
  public init?(_ coordinates: (Double, Double)) {
    self.init(latitude: coordinates.0, longitude: coordinates.1)
  }

  var enginePoint: GeoRegion.Point {
    GeoRegion.Point(latitude: latitude, longitude: longitude)
  }
}
