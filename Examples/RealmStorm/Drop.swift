// SPDX-License-Identifier: Apache-2.0

// What the devices share.

#if Server
import RealmSwift

/// An object that a device has made and all may change.
class Drop: Object {
  /// Device, life of its process, number.
  @Persisted(primaryKey: true) var _id: String
  /// The id of the user of the device that made it.
  @Persisted var owner: String
  @Persisted var isPublic: Bool
  @Persisted var text: String
  @Persisted var count: Int
  @Persisted var tags: List<String>
  /// When it was made, on the clock of `StormClock`.
  @Persisted var stamp: Int
}
#endif
