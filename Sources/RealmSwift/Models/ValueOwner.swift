// SPDX-License-Identifier: Apache-2.0

// Whose values are read, for what is said of damage.

import RealmStorage
import RealmTables

/// A property of an object, whose collection has values that are read.
struct ValueOwner {
  /// The class. Unsafe, for speed: its realm owns it, and whoever reads holds the realm.
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

  /// Passes damage on that a read of the values found; traps if nobody takes it.
  func meet(_ error: StorageError) {
    unsafe owner.meet(error, reading: modelProperty.name, of: key)
  }
}
