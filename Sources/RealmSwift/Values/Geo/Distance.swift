// SPDX-License-Identifier: Apache-2.0

// Distances on the earth, for queries of regions.

/// A distance on the earth, stored as an angle at its center.
public struct Distance: Hashable, Sendable {
  private static let earthRadiusInKilometers = 6378.1
  private static let kilometersPerMile = 1.609344

  /// The angle.
  public let radians: Double

  private init?(angle: Double) {
    guard angle >= 0 else { return nil }
    radians = angle
  }

  /// A distance in kilometers; nil if it is negative.
  public static func kilometers(_ kilometers: Double) -> Distance? {
    Distance(angle: kilometers / earthRadiusInKilometers)
  }

  /// A distance in miles; nil if it is negative.
  public static func miles(_ miles: Double) -> Distance? {
    kilometers(miles * kilometersPerMile)
  }

  /// A distance in degrees at the center of the earth; nil if it is negative.
  public static func degrees(_ degrees: Double) -> Distance? {
    Distance(angle: degrees * .pi / 180)
  }

  /// A distance in radians at the center of the earth; nil if it is negative.
  public static func radians(_ radians: Double) -> Distance? { Distance(angle: radians) }

  /// The distance in kilometers.
  public func asKilometers() -> Double { radians * Distance.earthRadiusInKilometers }

  /// The distance in miles.
  public func asMiles() -> Double { asKilometers() / Distance.kilometersPerMile }

  /// The distance in degrees at the center of the earth.
  public func asDegrees() -> Double { radians * 180 / .pi }

  /// The distance in radians at the center of the earth.
  public func asRadians() -> Double { radians }
}
