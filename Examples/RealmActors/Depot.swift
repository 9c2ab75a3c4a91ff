// SPDX-License-Identifier: Apache-2.0

// An actor with a realm of its own: no other code uses it, and only `Sendable` data crosses its
// isolation.

import RealmSwift

/// Accepts parcels, and assigns them to couriers.
actor Depot {
  // Implicitly unwrapped, so that `self` can be passed to `Realm(actor:)` in the initializer.
  private var realm: Realm!

  init(_ configuration: Realm.Configuration) async throws {
    realm = try await Realm(configuration: configuration, actor: self)
  }

  var parcelCount: Int { realm.objects(Parcel.self).count }

  /// Writes without blocking the actor: others may call it while the data goes to the disk.
  ///
  /// - Returns: A key, which finds the parcel on any actor.
  func takeIn(town: String, weight: Double) async throws -> ObjectId {
    let parcel = try await realm.asyncWrite {
      realm.create(Parcel.self, value: ["town": town, "weight": weight, "status": "waiting"])
    }
    return parcel.id
  }

  /// A value copy of a parcel for other actors.
  func picture(of id: ObjectId) -> ParcelPicture? {
    realm.object(ofType: Parcel.self, forPrimaryKey: id).map(ParcelPicture.init)
  }

  /// Changes a parcel that the caller has found: the reference resolves to the same parcel here.
  func send(_ reference: ThreadSafeReference<Parcel>) async throws {
    try await realm.asyncWrite {
      realm.resolve(reference)?.status = .onTheWay
    }
  }

  /// Releases the realm.
  func close() { realm = nil }

  /// In the actor's own code, and in functions that are isolated to it, the realm is used like any
  /// other.
  func inventory() -> [String: Int] {
    var counts: [String: Int] = [:]
    for parcel in realm.objects(Parcel.self) { counts[parcel.town, default: 0] += 1 }
    return counts
  }

  fileprivate func synchronously<R>(_ body: (Realm) throws -> R) rethrows -> R { try body(realm) }
}

/// Deletes the parcels to a town; isolated to the actor by its parameter, so that it may write
/// without `await`.
func clear(_ depot: isolated Depot, town: String) throws -> Int {
  try depot.synchronously { realm in
    let parcels = realm.objects(Parcel.self).where { $0.town == town }
    let count = parcels.count
    try realm.write { realm.delete(parcels) }
    return count
  }
}
