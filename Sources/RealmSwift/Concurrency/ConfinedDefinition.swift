// SPDX-License-Identifier: Apache-2.0

// What objects and collections are, apart from the realm that shows them: enough to find them in
// another realm of the file.

import RealmSession
import RealmStorage
import RealmTables

/// What an object or collection is, in terms of the file. Public only because requirements of
/// `ThreadConfined` name it.
public struct _ConfinedDefinition: Sendable {
  let locator: Locator
  /// What the file does not know: code of the program, or a key path. It is used where the result
  /// is.
  var context: UnsafeTransfer<Any>?

  init(_ locator: Locator) { self.locator = locator }
}
