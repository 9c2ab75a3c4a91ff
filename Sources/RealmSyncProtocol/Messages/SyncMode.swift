// SPDX-License-Identifier: Apache-2.0

// The two ways to say which objects a file has.

/// What a file has of the data of an app.
package enum SyncMode: Hashable, Sendable {
  /// All objects of one partition.
  case partition
  /// The objects that match the file's subscriptions.
  case flexible

  /// The name of its protocol in a WebSocket handshake.
  var protocolName: String {
    switch self {
    case .partition: "com.mongodb.realm-sync"
    case .flexible: "com.mongodb.realm-query-sync"
    }
  }
}
