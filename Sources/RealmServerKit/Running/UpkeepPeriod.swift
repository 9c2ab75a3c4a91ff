// SPDX-License-Identifier: Apache-2.0

// When a regular work of the server is due.

#if Server
import RealmSyncProtocol

/// A period of time by a clock that may be moved.
struct UpkeepPeriod {
  private let milliseconds: UInt64
  private var last: OriginTimestamp?

  init(minutes: UInt64) { milliseconds = minutes * 60_000 }

  /// Whether a period begins: the first one at the first call, another one when the last is over,
  /// or when the clock was put back.
  mutating func begins(at now: OriginTimestamp) -> Bool {
    if let last, now >= last, now.milliseconds - last.milliseconds < milliseconds { return false }
    last = now
    return true
  }
}
#endif
