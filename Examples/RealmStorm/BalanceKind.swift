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
  /// The same node for all, until something happens to it. The others do not run meanwhile: a node
  /// that cleans realms up is the owner of those that none owns.
  case single
}
#endif
