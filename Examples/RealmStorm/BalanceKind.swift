// SPDX-License-Identifier: Apache-2.0

// How connections are spread over nodes.

#if Server
import ArgumentParser

/// The choice of a node for a new connection.
enum BalanceKind: String, CaseIterable, ExpressibleByArgument {
  /// Each live node with the same probability.
  case random
  /// Live nodes in turns.
  case turns
}
#endif
