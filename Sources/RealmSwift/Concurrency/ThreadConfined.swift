// SPDX-License-Identifier: Apache-2.0

// What objects and collections have in common: they belong to the place of their realm.

/// What is confined to the thread, queue or actor of its realm.
public protocol ThreadConfined: SendableMetatype {
  /// The realm that manages this, or nil if none does.
  var realm: Realm? { get }

  /// Whether this can no longer be used: it was deleted, or its realm invalidated.
  var isInvalidated: Bool { get }

  /// Whether this shows one version for ever and may be read on any thread. May be asked anywhere.
  var isFrozen: Bool { get }

  /// The same as it is now, immutable, and readable on any thread. If it is frozen already: itself.
  ///
  /// As long as something frozen is kept, the file keeps all that its version needs.
  func freeze() -> Self

  /// The same in the live realm of the calling thread, queue or actor; nil if it does not exist any
  /// more. If it is live: itself.
  func thaw() -> Self?

  /// What this is, in terms of the file.
  var _definition: _ConfinedDefinition { get }

  /// What `definition` describes, in `realm`; nil if it does not exist there.
  static func _local(_ definition: _ConfinedDefinition, in realm: Realm) -> Self?
}
