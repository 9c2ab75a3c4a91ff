// SPDX-License-Identifier: Apache-2.0

// The state of a subscription set, as it is stored (P3 C.1).

/// The state of a stored subscription set.
package enum SubscriptionState: Int64, Hashable, Sendable {
  /// The server has not begun to send its objects.
  case pending = 1
  case bootstrapping = 2
  case complete = 3
  /// The server has refused it.
  case error = 4
  /// Everything is there, as far as the server had it when it was asked.
  case awaitingMark = 6
}
