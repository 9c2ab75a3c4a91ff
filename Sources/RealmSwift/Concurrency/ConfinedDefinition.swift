// SPDX-License-Identifier: Apache-2.0

// The identity of objects and collections independent of the realm that shows them: enough to find
// them in another realm of the file.

import RealmSession

/// The locator of an object or collection, with what only the program knows of it. Public only
/// because requirements of `ThreadConfined` name it.
public struct _ConfinedDefinition: Sendable {
  let locator: Locator
  /// The part that the file does not know: code of the program, or a key path. It is used where the
  /// result is.
  var context: UnsafeTransfer<Any>?
  /// Whether the object that has the collection is gone where this was made. Elsewhere, too, it may
  /// then be a collection without elements.
  var isGone: Bool

  init(_ locator: Locator, isGone: Bool = false) {
    self.locator = locator
    self.isGone = isGone
  }
}
