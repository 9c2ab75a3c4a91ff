// SPDX-License-Identifier: Apache-2.0

// The time of the machine, which all processes read.

#if Server
import Dispatch

enum StormClock {
  /// In microseconds since the machine started.
  static var now: Int { Int(DispatchTime.now().uptimeNanoseconds / 1_000) }
}
#endif
