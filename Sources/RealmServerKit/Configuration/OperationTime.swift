// SPDX-License-Identifier: Apache-2.0

// Times as operators read them.

#if Server
package import Foundation
package import RealmSyncProtocol

/// Writes times in UTC.
package enum OperationTime {
  /// A time to the second, like 2026-05-04T03:02:01Z.
  package static func text(_ date: Date) -> String { date.formatted(.iso8601) }

  /// A time of the server.
  package static func text(_ time: OriginTimestamp) -> String { text(date(time)) }

  /// A time of the server as a date.
  package static func date(_ time: OriginTimestamp) -> Date {
    Date(timeIntervalSince1970: Double(time.milliseconds + OriginTimestamp.unixOffset) / 1_000)
  }

  /// Seconds since 1970.
  package static func seconds(_ time: OriginTimestamp) -> Int64 {
    Int64((time.milliseconds + OriginTimestamp.unixOffset) / 1_000)
  }
}
#endif
