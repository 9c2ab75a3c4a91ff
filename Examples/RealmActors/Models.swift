// SPDX-License-Identifier: Apache-2.0

// A parcel service: couriers carry parcels.

import RealmSwift

/// Something to be brought somewhere.
final class Parcel: Object {
  @Persisted(primaryKey: true) var id: ObjectId
  @Persisted(indexed: true) var status: ParcelStatus
  @Persisted var town: String
  @Persisted var weight: Double
}

/// Where a parcel is on its way.
enum ParcelStatus: String, PersistableEnum {
  case waiting
  case onTheWay
  case delivered
}

/// Somebody who carries parcels.
final class Courier: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var parcels: List<Parcel>
}

/// What may travel between actors: a picture of a parcel.
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
