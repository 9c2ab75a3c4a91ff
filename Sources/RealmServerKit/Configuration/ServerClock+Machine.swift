// SPDX-License-Identifier: Apache-2.0

// The clock of the machine.

#if Server
import Foundation
package import RealmServerEngine
import RealmServerServices
import RealmSyncProtocol

extension ServerClock {
  /// The time of the machine.
  package static let machine = machine { 0 }

  /// The time of the machine and some seconds more.
  package static func machine(
    secondsAhead: @escaping @Sendable () -> Int64
  ) -> ServerClock {
    ServerClock {
      OriginTimestamp(
        unixMilliseconds: Int64(Date().timeIntervalSince1970 * 1_000) + secondsAhead() * 1_000)
    }
  }
}
#endif
