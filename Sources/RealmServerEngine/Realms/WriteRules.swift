// SPDX-License-Identifier: Apache-2.0

// What the user of an upload may change, and what was found to be refused of it (P4 C.2).

import RealmSyncProtocol

/// The rules of an upload in flexible mode.
package struct WriteRules: Hashable, Sendable {
  package var permissions: SessionPermissions
  /// The subscriptions that the client may have written by: objects that it makes or changes have
  /// to be seen through one of them.
  package var subscriptions: [[String: String]]
  /// Whether the client knows compensating writes; its session ends otherwise.
  package var isCompensated: Bool

  package init(
    permissions: SessionPermissions, subscriptions: [[String: String]], isCompensated: Bool = true
  ) {
    self.permissions = permissions
    self.subscriptions = subscriptions
    self.isCompensated = isCompensated
  }
}

/// The refused changes of one upload, object by object.
struct RefusedWrites: Hashable, Sendable {
  /// A refused object.
  struct Refusal: Hashable {
    /// The first version of the client with a refused change. What follows it is refused, too: it
    /// was made of something that the server has not.
    let clientVersion: UInt64
    let isOutsideOfView: Bool
  }

  private(set) var objects: [ObjectIdentity: Refusal] = [:]

  var isEmpty: Bool { objects.isEmpty }

  /// Adds a refused object, with its first refused change.
  mutating func add(_ object: ObjectIdentity, _ refusal: Refusal) {
    if let known = objects[object], known.clientVersion <= refusal.clientVersion { return }
    objects[object] = refusal
  }

  mutating func formUnion(_ others: RefusedWrites) {
    for (object, refusal) in others.objects { add(object, refusal) }
  }

  /// Whether a change of a version is refused.
  func contains(_ object: ObjectIdentity, at clientVersion: UInt64) -> Bool {
    objects[object].map { $0.clientVersion <= clientVersion } ?? false
  }
}
