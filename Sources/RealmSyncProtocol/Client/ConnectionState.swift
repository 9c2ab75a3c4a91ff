// SPDX-License-Identifier: Apache-2.0

// How far a connection is.

/// The state of a connection as apps see it.
package enum ConnectionState: Hashable, Sendable {
  case disconnected, connecting, connected
}
