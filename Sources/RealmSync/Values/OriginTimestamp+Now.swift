// SPDX-License-Identifier: Apache-2.0

// The clock of this device.

package import RealmSyncProtocol

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension OriginTimestamp {
  /// The time of this device's clock.
  package static func now() -> OriginTimestamp {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return OriginTimestamp(
      unixMilliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }
}
