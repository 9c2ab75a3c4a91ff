// SPDX-License-Identifier: Apache-2.0

// Conditions on positions on the earth.

import RealmQuery

extension Query where T: OptionalProtocol, T.Wrapped: EmbeddedObject {
  /// Whether the place is in a region; see `GeoPoint` for how objects store places. Null never is.
  ///
  /// ```swift
  /// let near = GeoCircle(center: here, radius: distance)
  /// let found = shops.where { $0.location.geoWithin(near) }
  /// ```
  /// `where` traps if the embedded object has no place, and for a polygon whose sides
  /// cross or are the same, or whose further rings lie outside of the first or within each other.
  public func geoWithin(_ shape: some GeoShape) -> Query<Bool> {
    compared(.in, shape)
  }
}
