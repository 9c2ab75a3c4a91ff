// SPDX-License-Identifier: Apache-2.0

// Connections between the processes of a simulation, whose messages arrive when the simulation says
// so.
//
// Invariants:
// 1. What is sent arrives in its order, or not at all; if it does not, no later message of its
//    direction does.
// 2. An end that was cut off learns of it after the last message that arrives.

#if Postgres
import RealmSyncProtocol

/// A connection: two ends, and what is under way between them.
final class SimulatedChannel {
  /// What is under way to an end.
  enum Item {
    case message([UInt8])
    case end(SocketClosed)
  }

  /// The end that began the connection, and the one that was called.
  enum End: Int, CaseIterable {
    case caller = 0, called
  }

  let number: Int
  let protocolName: String
  /// What is under way to each end.
  private(set) var underWay: [[Item]] = [[], []]
  /// Takes what arrives at each end.
  private var takers: [((Item) -> Void)?] = [nil, nil]
  /// Whether an end has ended, and takes nothing.
  private var hasEnded = [false, false]
  private var isCut = false

  init(number: Int, _ protocolName: String) {
    self.number = number
    self.protocolName = protocolName
  }

  func setTaker(of end: End, _ take: @escaping (Item) -> Void) { takers[end.rawValue] = take }

  /// Whether something is under way to an end.
  func hasItems(to end: End) -> Bool { !underWay[end.rawValue].isEmpty }

  /// Whether nothing is left of the connection.
  var isOver: Bool { hasEnded == [true, true] }

  /// What is next to arrive at an end, in a few words.
  func next(to end: End) -> String {
    switch underWay[end.rawValue].first {
    case .message(let bytes):
      protocolName == "node"
        ? "\(bytes.count) bytes"
        : String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    case .end(let reason): "the end, \(reason.code.rawValue) \(reason.message)"
    case nil: "nothing"
    }
  }

  func send(_ item: Item, to end: End) {
    guard !isCut, !hasEnded[end.rawValue] else { return }
    underWay[end.rawValue].append(item)
  }

  /// Lets the next item arrive.
  func deliver(to end: End) {
    let item = underWay[end.rawValue].removeFirst()
    guard !hasEnded[end.rawValue] else { return }
    if case .end = item { close(end) }
    takers[end.rawValue]?(item)
    if hasEnded[end.rawValue] { takers[end.rawValue] = nil }
  }

  /// Notes that an end takes nothing any more.
  func close(_ end: End) {
    hasEnded[end.rawValue] = true
    underWay[end.rawValue] = []
  }

  /// Breaks the connection.
  ///
  /// - Parameter arriving: How many of the items on their way to an end arrive nevertheless.
  func cut(_ arriving: (_ count: Int) -> Int) {
    guard !isCut else { return }
    isCut = true
    for end in End.allCases where !hasEnded[end.rawValue] {
      let items = underWay[end.rawValue]
      underWay[end.rawValue] =
        items.prefix(arriving(items.count)) + [.end(SocketClosed(.readFailed, "it was cut"))]
    }
  }
}
#endif
