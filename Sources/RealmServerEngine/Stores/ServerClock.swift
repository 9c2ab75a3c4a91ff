// SPDX-License-Identifier: Apache-2.0

// The time of the server, replaced in tests.

package import RealmSyncProtocol

/// Tells the server's time.
package struct ServerClock: Sendable {
  private let read: @Sendable () -> OriginTimestamp

  package init(_ read: @escaping @Sendable () -> OriginTimestamp) { self.read = read }

  /// The time.
  package func now() -> OriginTimestamp { read() }
}
