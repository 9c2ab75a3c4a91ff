// SPDX-License-Identifier: Apache-2.0

// `RealmCollectionChange`: the notifications that observers of collections receive.

import RealmQuery
import RealmSession
import RealmStorage

/// A notification to an observer of a collection.
///
/// To bring a copy of the old collection up to date, delete, then insert, then reload what was
/// modified.
public enum RealmCollectionChange<CollectionType> {
  /// The first call: the collection has been evaluated.
  case initial(CollectionType)

  /// One or more write transactions changed the collection, or objects in it.
  ///
  /// `deletions` and `modifications` are indexes of the old collection, `insertions` are indexes of
  /// the new one.
  case update(CollectionType, deletions: [Int], insertions: [Int], modifications: [Int])

  /// The database could not be read; the observation has ended.
  case error(any Error)

  /// The notification for an observed change of a collection in the file at a path.
  init(_ change: ObservedChange, of collection: CollectionType, _ path: String) {
    switch change {
    case .initial: self = .initial(collection)
    case .collection(let set), .collectionDeleted(let set):
      self = .update(
        collection, deletions: set.deletions, insertions: set.insertions,
        modifications: set.modifications)
    case .failed(let error): self = .error(Realm.Error(error, path: path))
    case .object, .objectDeleted: preconditionFailure("a collection is no object")
    }
  }
}
