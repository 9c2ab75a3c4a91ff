// SPDX-License-Identifier: Apache-2.0

// Conditions on places.

import RealmQuery

extension Query where T: OptionalProtocol, T.Wrapped: EmbeddedObject {
  /// Whether the place is in a region; see `GeoPoint` for how objects store places. Null never is.
  ///
  /// ```swift
  /// let near = GeoCircle(center: here, radius: distance)
  /// let found = shops.where { $0.location.geoWithin(near) }
  /// ```
  /// Ends the process where the results are used if the embedded object has no place.
  public func geoWithin(_ shape: some GeoShape) -> Query<Bool> {
    Query<Bool>(.within(node.path, shape.geoRegion, shape: shape))
  }
}
