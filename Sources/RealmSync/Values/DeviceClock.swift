// SPDX-License-Identifier: Apache-2.0

// The clock of this device, and how wrong it is.

package import RealmStorage
package import RealmSyncProtocol

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

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

extension Timestamp {
  /// The time of this device's clock.
  package static func now() -> Timestamp {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(
      seconds: Int64(time.tv_sec) + DeviceClock.offset, nanoseconds: Int32(time.tv_nsec))
  }
}

extension OriginTimestamp {
  /// The time of this device's clock.
  package static func now() -> OriginTimestamp {
    let time = Timestamp.now()
    return OriginTimestamp(
      unixMilliseconds: time.seconds * 1000 + Int64(time.nanoseconds) / 1_000_000)
  }
}
