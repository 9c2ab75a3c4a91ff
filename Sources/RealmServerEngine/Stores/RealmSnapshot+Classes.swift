// SPDX-License-Identifier: Apache-2.0

// The classes of a realm, as apps declare them.

package import RealmDeclarations
import RealmQuery
import RealmStorage

extension RealmSnapshot {
  /// The classes.
  package func classes() throws(StoreError) -> DeclaredSchema {
    DeclaredSchema(try StoreError.storing(StoredSchema(objects)))
  }
}
