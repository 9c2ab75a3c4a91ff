// SPDX-License-Identifier: Apache-2.0

// Damage that is found while a collection is read: the message says which one it was.

import RealmSession
import RealmStorage
import RealmTables

extension ManagedCollection {
  /// The value of `body`, which reads the collection, or a placeholder.
  func reading<R>(
    _ body: @autoclosure () throws(StorageError) -> R, else placeholder: @autoclosure () -> R
  ) -> R {
    owner.reading(property.index, of: key, try body(), else: placeholder())
  }

  /// Whether the object that has the collection does not exist because of damage that the caller
  /// takes. The collection is empty then.
  func isLost() -> Bool {
    guard core.isFrozen else { return core.hasMetDamage && isOfValidRealm }
    guard core.takesDamage, !core.isFrozenAndInvalid else { return false }
    owner.meet(owner.missing(key), reading: property.name, of: key)
    return true
  }
}
