// SPDX-License-Identifier: Apache-2.0

// `RealmMapChange`: the notifications that observers of maps receive.

/// A notification to an observer of a map.
public enum RealmMapChange<MapType: RealmKeyedCollection> {
  /// The first call: the map has been evaluated.
  case initial(MapType)

  /// One or more write transactions changed the map, or objects in it.
  ///
  /// `deletions` are keys that the map had, `insertions` are new keys, and `modifications` are keys
  /// that stayed, whose value was set, or is an object that changed.
  case update(
    MapType, deletions: [MapType.Key], insertions: [MapType.Key], modifications: [MapType.Key])

  /// The database could not be read; the observation has ended.
  case error(any Error)
}
