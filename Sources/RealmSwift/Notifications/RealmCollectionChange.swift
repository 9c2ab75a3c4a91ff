// SPDX-License-Identifier: Apache-2.0

// `RealmCollectionChange`: the notifications that observers of collections receive.

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
}
