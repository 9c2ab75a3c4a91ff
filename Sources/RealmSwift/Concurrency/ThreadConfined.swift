// SPDX-License-Identifier: Apache-2.0

// The protocol of objects and collections, which are confined to the place of their realm.

/// An object or collection that is confined to the thread, queue or actor of its realm.
public protocol ThreadConfined: SendableMetatype {
  /// The realm that manages this, or nil if none does.
  var realm: Realm? { get }

  /// Whether this can no longer be used: it was deleted, or its realm invalidated.
  var isInvalidated: Bool { get }

  /// Whether this shows one version permanently and may be used on any thread. The property itself
  /// may be read on any thread.
  var isFrozen: Bool { get }

  /// A frozen form of this as it is now: immutable, and readable on any thread. If this is frozen
  /// already: itself.
  ///
  /// As long as something frozen is kept, the file keeps all that its version needs.
  func freeze() -> Self

  /// The live form of this in the realm of the calling thread, queue or actor; nil if it does not
  /// exist any more. If this is live: itself.
  func thaw() -> Self?

  /// The locator of this: its identity, independent of a realm.
  var _definition: _ConfinedDefinition { get }

  /// The object or collection that `definition` describes, in `realm`; nil if it does not exist
  /// there.
  static func _local(_ definition: _ConfinedDefinition, in realm: Realm) -> Self?
}
