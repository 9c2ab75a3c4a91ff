// SPDX-License-Identifier: Apache-2.0

// One thing that code inside `withObservationTracking` has looked at.

import Observation

/// A property of an object, or the elements of results, as the Observation library sees it: an
/// observable with one property.
final class TrackedAccess: Observable {
  private let registrar = ObservationRegistrar()

  /// Stands for what was looked at.
  private var value: Bool { true }

  /// The calling thread, which tracks, has looked at it.
  func note() { registrar.access(self, keyPath: \.value) }

  /// It has changed. Code of the program runs; afterwards nobody tracks it any more.
  func notify() { registrar.withMutation(of: self, keyPath: \.value) {} }
}
