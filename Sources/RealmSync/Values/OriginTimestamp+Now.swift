// SPDX-License-Identifier: Apache-2.0

// The clock of this device.

package import RealmStorage
package import RealmSyncProtocol

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

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
