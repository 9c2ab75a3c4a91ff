// SPDX-License-Identifier: Apache-2.0

// The observers that a write transaction does not notify.

/// Observers that are not notified of a write transaction.
package struct SkippedObservers {
  /// The skipped observers of collections and objects.
  package private(set) var observations: [Observation] = []
  /// The skipped observers of the session.
  private(set) var ofSession: [SessionObservation] = []

  static let none = SkippedObservers()

  private init() {}

  /// Collects the observers of some tokens; ended ones need no skipping.
  package init(_ cancellables: some Sequence<any Cancellable>) {
    for cancellable in cancellables {
      if let observation = cancellable.current as? Observation { observations.append(observation) }
      if let observation = cancellable as? SessionObservation { ofSession.append(observation) }
    }
  }

  package var isEmpty: Bool { observations.isEmpty && ofSession.isEmpty }
}
