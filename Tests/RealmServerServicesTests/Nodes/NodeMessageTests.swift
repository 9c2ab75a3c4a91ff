// SPDX-License-Identifier: Apache-2.0

// The bytes of messages between servers.

#if Server
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices

struct NodeMessageTests {
  @Test(arguments: 0..<RandomNodeMessages.kindCount)
  func everyMessageComesBack(_ kind: Int) throws {
    for seed in 0..<60 as Range<UInt64> {
      var messages = RandomNodeMessages(seed: seed)
      let message = messages.message(kind)
      try expectEqual(NodeMessage(message.bytes), message, "seed \(seed)")
    }
  }

  /// `PackedReader` 1
  @Test(arguments: 0..<RandomNodeMessages.kindCount)
  func damagedMessagesThrowOrAreOthers(_ kind: Int) throws {
    for seed in 0..<4 as Range<UInt64> {
      var messages = RandomNodeMessages(seed: seed)
      let bytes = messages.message(kind).bytes
      for count in bytes.indices.prefix(400) where kind != 12 {
        #expect(throws: PackedBytesError.self) { _ = try NodeMessage(Array(bytes.prefix(count))) }
      }
      var random = SeededGenerator(seed: seed)
      for _ in 0..<60 {
        var damaged = bytes
        let place = Int.random(in: damaged.indices, using: &random)
        damaged[place] = UInt8.random(in: 0...255, using: &random)
        guard let message = try? NodeMessage(damaged) else { continue }
        // What is read is a message.
        _ = try? NodeMessage(message.bytes)
      }
    }
    #expect(throws: PackedBytesError.self) { _ = try NodeMessage([]) }
    #expect(throws: PackedBytesError.self) { _ = try NodeMessage(NodeMessage.ping.bytes + [0]) }
  }

  @Test func numbersAreBounded() throws {
    var writer = PackedWriter()
    writer.write(UInt64.max)
    var reader = PackedReader(writer.bytes)
    try expectEqual(reader.number(), .max)
    for bytes in [[UInt8](repeating: 0x80, count: 10), [UInt8](repeating: 0xFF, count: 9) + [2]] {
      var reader = PackedReader(bytes)
      #expect(throws: PackedBytesError.self) { _ = try reader.number() }
    }
    // A list of more elements than bytes.
    var list = PackedWriter()
    list.write(UInt64.max >> 1)
    var other = PackedReader(list.bytes + [1])
    #expect(throws: PackedBytesError.self) { _ = try other.count() }
  }

  /// The token of a client is for its edge alone.
  @Test func tokensStayAtTheEdge() throws {
    let bind = ClientMessage.Bind(
      session: 1, target: .partition("p"), token: "secret", needsIdent: false)
    let bytes = NodeMessage.request(session: 1, .bind(bind)).bytes
    guard case .request(1, .bind(let read)) = try NodeMessage(bytes) else {
      Issue.record("another message")
      return
    }
    expectTrue(read.token.isEmpty)
  }

  @Test func versionsThatDifferAreSaid() throws {
    var hello = NodeHello(node: "n")
    try expectEqual(NodeHello(hello.bytes), hello)
    // A later program says more.
    try expectEqual(NodeHello(hello.bytes + [1, 2]), hello)
    hello.version = NodeHello.version + 1
    let bytes = hello.bytes
    do {
      _ = try NodeHello(bytes)
      Issue.record("another version is taken")
    } catch { #expect(error.description.contains("version \(NodeHello.version + 1)")) }
    #expect(throws: PackedBytesError.self) { _ = try NodeHello(Array("GET /".utf8)) }
  }
}
#endif
