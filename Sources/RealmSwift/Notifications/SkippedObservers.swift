// SPDX-License-Identifier: Apache-2.0

// Who is not to be told of a write transaction.

/// Observers that a write transaction is kept from.
struct SkippedObservers {
  /// Those of collections and objects.
  var observations: [Observation] = []
  /// Those of the realm.
  var ofRealm: [RealmObservation] = []

  static let nobody = SkippedObservers()

  var isEmpty: Bool { observations.isEmpty && ofRealm.isEmpty }

  /// Keeps the transaction from the observer that `token` stands for; one that has ended needs no
  /// keeping.
  mutating func insert(_ token: NotificationToken) {
    if let observation = token.observation { observations.append(observation) }
    if let observation = token.realmObservation { ofRealm.append(observation) }
  }
}
