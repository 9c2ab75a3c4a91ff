// SPDX-License-Identifier: Apache-2.0

// Whether anybody reads what versions did to objects, in realms without views.

import RealmStorage

/// The demand of an app's triggers for the touch log.
package final class TouchDemand: Sendable {
  private let state = Locked(false)

  package init() {}

  /// Whether versions from now on have touches.
  package var isThere: Bool {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
