// SPDX-License-Identifier: Apache-2.0

// The connections between the servers of a storm with nodes.

#if Server
/// A network between two servers.
enum NodeLink: Hashable {
  /// Between the balancer and a node.
  case front(node: Int)
  /// Between a node and the server that is the primary at that time.
  case primary(node: Int)
  /// Between a node and the standby, which may be the primary later.
  case standby(node: Int)
  /// Between the primary and the standby: commits wait.
  case replication
  /// Between the other nodes and a node.
  case node(Int)

  /// - Parameter count: The nodes.
  static func random(count: Int, using random: inout StormGenerator) -> NodeLink {
    let node = Int.random(in: 0..<count, using: &random)
    return switch Int.random(in: 0..<8, using: &random) {
    case 0: .front(node: node)
    case 1..<4: .primary(node: node)
    case 4: .standby(node: node)
    case 5..<7: .replication
    default: .node(node)
    }
  }
}
#endif
