// SPDX-License-Identifier: Apache-2.0

// The two ways to choose the objects of a file.

/// The part of an app's data in a file.
package enum SyncMode: Hashable, Sendable {
  /// All objects of one partition.
  case partition
  /// The objects of the file's subscriptions.
  case flexible

  /// The name of its protocol in a WebSocket handshake.
  var protocolName: String {
    switch self {
    case .partition: "com.mongodb.realm-sync"
    case .flexible: "com.mongodb.realm-query-sync"
    }
  }
}
