// SPDX-License-Identifier: Apache-2.0

// Damage that is found while a collection is read: the message says which one it was.

import RealmSession
import RealmStorage

extension ManagedCollection {
  /// The value of `body`, which reads the collection; a trap says which one.
  func orStop<R>(_ body: @autoclosure () throws(StorageError) -> R) -> R {
    do throws(StorageError) { return try body() } catch {
      owner.stop(error, reading: property.name, of: key)
    }
  }
}
