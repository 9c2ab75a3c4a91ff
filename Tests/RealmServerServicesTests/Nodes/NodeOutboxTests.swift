// SPDX-License-Identifier: Apache-2.0

// The order of messages on a connection between servers.

#if Server
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices

struct NodeOutboxTests {
  private var limits: NodeLimits {
    var limits = NodeLimits()
    (limits.frameByteCount, limits.partedCount, limits.messageByteCount) = (10, 2, 200)
    return limits
  }

  private func message(_ number: Int, _ count: Int) -> [UInt8] {
    [UInt8(number)] + [UInt8](repeating: UInt8(count & 0xFF), count: count - 1)
  }

  /// The first bytes of the messages, in the order in which the other side has them.
  private func arrivals(_ outbox: inout NodeOutbox) throws -> [UInt8] {
    var assembler = NodeAssembler(limits)
    var found: [UInt8] = []
    while let frame = outbox.next() {
      if let message = try assembler.add(frame) { found.append(message[0]) }
    }
    expectEqual(outbox.byteCount, 0)
    return found
  }

  /// `NodeOutbox` 1
  @Test func smallMessagesPassALargeOne() throws {
    var outbox = NodeOutbox(limits)
    outbox.add(message(1, 100))
    expectEqual(outbox.next()?.count, 12)
    for number in 2...5 { outbox.add(message(number, 8)) }
    var kinds: [UInt8] = []
    for _ in 0..<8 { kinds.append(try #require(outbox.next()?.first)) }
    let (small, part) = (NodeFrame.message.rawValue, NodeFrame.part.rawValue)
    #expect(
      kinds == [part, small, part, small, part, small, part, small]
        || kinds == [small, part, small, part, small, part, small, part])
  }

  /// `NodeOutbox` 2
  @Test func largeMessagesTakeTurns() throws {
    var outbox = NodeOutbox(limits)
    outbox.add(message(1, 100))
    outbox.add(message(2, 30))
    outbox.add(message(3, 20))
    outbox.add(message(4, 5))
    try expectEqual(arrivals(&outbox), [4, 2, 3, 1])
  }

  /// `NodeOutbox` 3
  @Test func theNewestHeadWaits() throws {
    var outbox = NodeOutbox(limits)
    for version in 1...3 as ClosedRange<UInt64> {
      outbox.add(SaltedVersion(version: version), of: 7)
    }
    outbox.add(SaltedVersion(version: 9), of: 8)
    var assembler = NodeAssembler(limits)
    var events: [NodeMessage] = []
    while let frame = outbox.next() {
      if let bytes = try assembler.add(frame) { events.append(try NodeMessage(bytes)) }
    }
    expectEqual(
      events,
      [
        .event(session: 7, .head(SaltedVersion(version: 3))),
        .event(session: 8, .head(SaltedVersion(version: 9))),
      ])
    outbox.add(SaltedVersion(version: 4), of: 7)
    expectTrue(outbox.next() != nil)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func everyMessageArrivesWhole(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var (outbox, assembler) = (NodeOutbox(limits), NodeAssembler(limits))
    var (sent, received): ([[UInt8]], [[UInt8]]) = ([], [])
    for _ in 0..<300 {
      if random.chance(0.4) {
        let count = Int.random(in: 1...(random.chance(0.3) ? 150 : 10), using: &random)
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        sent.append(bytes)
        outbox.add(bytes)
      } else if let frame = outbox.next(), let message = try assembler.add(frame) {
        received.append(message)
      }
    }
    while let frame = outbox.next() {
      if let message = try assembler.add(frame) { received.append(message) }
    }
    func sorted(_ all: [[UInt8]]) -> [[UInt8]] {
      all.sorted { $0.lexicographicallyPrecedes($1) }
    }
    expectEqual(sorted(sent), sorted(received))
    // Those of one frame keep their order.
    expectEqual(sent.filter { $0.count <= 10 }, received.filter { $0.count <= 10 })
  }

  @Test func framesOfOthersAreBounded() {
    var assembler = NodeAssembler(limits)
    #expect(throws: PackedBytesError.self) {
      _ = try assembler.add([1] + [UInt8](repeating: 0, count: 30))
    }
    #expect(throws: PackedBytesError.self) { _ = try assembler.add([9, 1]) }
    #expect(throws: PackedBytesError.self) { _ = try assembler.add([]) }
    #expect(throws: PackedBytesError.self) {
      for number in 1...3 as ClosedRange<UInt8> { _ = try assembler.add([2, number, 0]) }
    }
    #expect(throws: PackedBytesError.self) {
      for _ in 0..<30 { _ = try assembler.add([2, 1] + [UInt8](repeating: 0, count: 10)) }
    }
  }
}
#endif
