// SPDX-License-Identifier: Apache-2.0

// A clock that is wrong.

import RealmStorage

/// How far the clock of this device is from the clock of the machine.
///
/// Only the programs of this package can set it: storms and tests let devices have wrong clocks.
package enum DeviceClock {
  private static let state = Locked<Int64>(0)

  /// Seconds that are added to the time of the machine.
  package static var offset: Int64 {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
