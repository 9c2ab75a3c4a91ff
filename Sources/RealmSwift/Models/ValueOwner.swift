// SPDX-License-Identifier: Apache-2.0

// The owner of values, for reports of damage.

import RealmStorage
import RealmTables

/// The property of an object, with a collection of values.
struct ValueOwner {
  /// The class. Unsafe, for speed: its realm owns it, and each reader holds the realm.
  unowned(unsafe) let owner: ClassInfo
  /// The number of the property.
  let property: Int
  let key: ObjectKey

  init(_ owner: ClassInfo, _ property: ModelProperty, _ key: ObjectKey) {
    unsafe self.owner = owner
    self.property = property.index
    self.key = key
  }

  /// The property as the schema describes it.
  var modelProperty: ModelProperty { unsafe owner.schema.properties[property] }

  /// Passes on the damage of a read of the values; traps if it is not taken.
  func meet(_ error: StorageError) {
    unsafe owner.meet(error, reading: modelProperty.name, of: key)
  }
}
