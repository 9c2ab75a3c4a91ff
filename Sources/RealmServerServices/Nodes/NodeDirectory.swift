// SPDX-License-Identifier: Apache-2.0

// Where the servers of a database are.

#if Server
/// Finds the addresses of servers.
package protocol NodeDirectory: Sendable {
  /// The address where other servers reach a server, like `https://10.0.0.7:9090`; nil if it has
  /// none.
  func address(of node: String) async -> String?
}
#endif
