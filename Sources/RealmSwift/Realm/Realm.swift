// SPDX-License-Identifier: Apache-2.0

// The database as a program sees it.

/// A database: objects of the program's model classes in one file.
///
/// A realm, and every object and collection read from it, may be used only where it was opened: on
/// that thread, that queue, or that actor.
public struct Realm {
  @usableFromInline let core: RealmCore

  init(core: RealmCore) { self.core = core }
}

extension Realm: Equatable {
  /// Whether both are the same instance: one file in one confinement.
  public static func == (left: Realm, right: Realm) -> Bool { left.core === right.core }
}
