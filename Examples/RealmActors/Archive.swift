// SPDX-License-Identifier: Apache-2.0

// A global actor: functions all over a program share it, and the realm that it opens.

import RealmSwift

/// The global actor for slow work.
@globalActor
actor Archive {
  static let shared = Archive()

  private(set) var notes: [String] = []

  /// Appends a line to the report.
  func note(_ text: String) { notes.append(text) }
}

/// Marks parcels as delivered, in one transaction, off the main actor.
@Archive
func archiveDelivered(_ ids: [ObjectId], _ configuration: Realm.Configuration) async throws -> Int {
  let realm = try await Realm(configuration: configuration, actor: Archive.shared)
  try await realm.asyncWrite {
    for id in ids {
      realm.object(ofType: Parcel.self, forPrimaryKey: id)?.status = .delivered
    }
  }
  // After an `await` this may be another thread: to a realm of an actor it makes no difference.
  return realm.objects(Parcel.self).where { $0.status == .delivered }.count
}
