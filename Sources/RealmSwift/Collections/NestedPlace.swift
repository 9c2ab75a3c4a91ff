// SPDX-License-Identifier: Apache-2.0

// The location of a collection inside a mixed value, by which lists and maps of such values are
// live.

import RealmTables

/// The path to a collection inside the mixed values of one property of one object.
final class NestedPlace {
  let owner: ClassInfo
  let key: ObjectKey
  let slot: _ColumnSlot
  /// The steps to the collection; none to that of the property itself.
  let path: [NestedStep]

  init(_ owner: ClassInfo, _ key: ObjectKey, _ slot: _ColumnSlot, _ path: [NestedStep] = []) {
    self.owner = owner
    self.key = key
    self.slot = slot
    self.path = path
  }

  /// The location of the collection that is an element of the one at this location.
  func element(_ step: NestedStep) -> NestedPlace {
    NestedPlace(owner, key, slot, path + [step])
  }

  func collection(_ kind: CollectionKind) -> ManagedCollection {
    ManagedCollection(key, owner, slot, path: path, kind: kind)
  }
}
