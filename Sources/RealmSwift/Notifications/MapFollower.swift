// SPDX-License-Identifier: Apache-2.0

// Translates the positions of a map's entries in the change log into keys.

import RealmQuery
import RealmSession

/// The keys of a map as its observer last saw them. Used where the realm lives only.
final class MapFollower<Key: _MapKey, Value: RealmCollectionValue> {
  private let map: Map<Key, Value>
  private let path: String
  private var known: [Key] = []

  init(_ map: Map<Key, Value>, path: String) {
    self.map = map
    self.path = path
  }

  /// Goes on from the present keys.
  func skip() { known = map.isInvalidated ? [] : map.keys }

  /// The notification for a change up to the version that the realm shows.
  func change(for change: ObservedChange) -> RealmMapChange<Map<Key, Value>> {
    map.managed?.willReport(change)
    switch change {
    case .initial:
      known = map.isInvalidated ? [] : map.keys
      return .initial(map)
    case .collection(let set), .collectionDeleted(let set):
      let present = map.isInvalidated ? [] : set.keepsPositions ? known : map.keys
      let step = MapKeyStep(from: known, to: present, set)
      known = present
      return .update(
        map, deletions: step.deletions, insertions: step.insertions,
        modifications: step.modifications)
    case .failed(let error): return .error(Realm.Error(error, path: path))
    case .object, .objectDeleted: preconditionFailure("a map is no object")
    }
  }
}

/// The keys that were inserted, deleted and modified from one state of a map to the next.
private struct MapKeyStep<Key: _MapKey> {
  private(set) var deletions: [Key] = []
  private(set) var insertions: [Key] = []
  private(set) var modifications: [Key] = []

  init(from old: [Key], to new: [Key], _ changes: ResultChanges) {
    let modified = changes.modifications.filter(old.indices.contains).map { old[$0] }
    guard !changes.keepsPositions else {
      modifications = modified
      return
    }
    let before = Set(old)
    let after = Set(new)
    deletions = old.filter { !after.contains($0) }
    insertions = new.filter { !before.contains($0) }
    // Keys that were removed and inserted again count as modified.
    let again = changes.insertions.filter(new.indices.contains).map { new[$0] }
    let changed = Set(modified + again)
    modifications = old.filter { changed.contains($0) && after.contains($0) }
  }
}

extension ResultChanges {
  /// Whether every element stayed where it was.
  fileprivate var keepsPositions: Bool { insertions.isEmpty && deletions.isEmpty }
}
