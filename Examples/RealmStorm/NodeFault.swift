// SPDX-License-Identifier: Apache-2.0

// What goes wrong with the nodes of a storm.

#if Server
/// A fault of a node, of the database, or between them. Times are milliseconds.
enum NodeFault: Hashable {
  case kill(node: Int, down: Int)
  case killAll(down: Int)
  /// A node stops in whatever it does for longer than its lease, and goes on: it is not the owner
  /// any more, and does not know it.
  case pause(node: Int, time: Int)
  /// Each node ends in good order and starts, one after the other.
  case upgrade
  /// How far the clock of a node is from that of the machine from now on.
  case clock(node: Int, hours: Int)
  /// Nothing arrives for a time, and no side hears of it.
  case hold(NodeLink, HoldDirection, time: Int)
  /// All connections end, and none is made for a time.
  case refuse(NodeLink, time: Int)
  /// Everything arrives so much later for a time.
  case slow(NodeLink, delay: Int, time: Int)
  case database(DatabaseFault)
  /// The primary and a node die together.
  case failOverWithNode(DatabaseFault, node: Int, down: Int)

  /// Whether it comes at a time when devices send something.
  var isKill: Bool {
    switch self {
    case .kill, .killAll, .database, .failOverWithNode: true
    default: false
    }
  }

  var isOfDatabase: Bool {
    switch self {
    case .database, .failOverWithNode: true
    default: false
    }
  }
}
#endif
