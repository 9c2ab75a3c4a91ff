// SPDX-License-Identifier: Apache-2.0

// What the devices count together.

#if Server
import RealmSwift

/// An object that all devices mark. A value that is set twice is the same; a mark that is inserted
/// twice is there twice.
class Tally: Object {
  /// The only object.
  static let key = "tally"

  @Persisted(primaryKey: true) var _id: String
  /// Device, life of its process, number.
  @Persisted var marks: List<String>
}
#endif
