// SPDX-License-Identifier: Apache-2.0

// A parcel service: couriers carry parcels.

import RealmSwift

/// A parcel with its destination.
final class Parcel: Object {
  @Persisted(primaryKey: true) var id: ObjectId
  @Persisted(indexed: true) var status: ParcelStatus
  @Persisted var town: String
  @Persisted var weight: Double
}

/// The state of the delivery of a parcel.
enum ParcelStatus: String, PersistableEnum {
  case waiting
  case onTheWay
  case delivered
}

/// A courier, who carries parcels.
final class Courier: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var parcels: List<Parcel>
}

/// A `Sendable` value copy of a parcel, for other actors.
struct ParcelPicture: Sendable {
  var id: ObjectId
  var town: String
  var status: ParcelStatus

  init(_ parcel: Parcel) {
    id = parcel.id
    town = parcel.town
    status = parcel.status
  }
}
