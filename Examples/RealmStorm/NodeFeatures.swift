// SPDX-License-Identifier: Apache-2.0

// What the servers of a storm with nodes can do.

#if Server
/// The abilities of `realm-server` that a storm with nodes relies on.
enum NodeFeatures {
  /// Whether nodes carry sessions to the owner of a realm. Otherwise one node has all devices, and
  /// another one gets them when it does not answer.
  static let carriesSessions = true
  /// Whether users, custom data and settings are in the database. Otherwise they are in the folder
  /// of each node, which begins as a copy of the first one's, and custom data stay as they are.
  static let sharesUsers = true

  static var balance: BalanceKind { carriesSessions ? .random : .single }

  /// The options of a node that tell others how to reach it.
  static func options(url: String) -> [String] {
    carriesSessions ? ["--node-url", url] : []
  }
}
#endif
