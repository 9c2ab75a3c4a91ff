// SPDX-License-Identifier: Apache-2.0

// One tracked access of code inside `withObservationTracking`, as an observable of the Observation
// library.

import Observation

/// The access to a property of an object, or to the elements of results: an observable with one
/// property.
final class TrackedAccess: Observable {
  private let registrar = ObservationRegistrar()

  /// Represents the accessed property or elements.
  private var value: Bool { true }

  /// Records an access by the calling thread, which tracks.
  func note() { registrar.access(self, keyPath: \.value) }

  /// Notifies of a change. Code of the program runs; afterwards the access is not tracked any more.
  func notify() { registrar.withMutation(of: self, keyPath: \.value) {} }
}
