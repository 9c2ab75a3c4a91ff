// SPDX-License-Identifier: Apache-2.0

// A socket whose network takes nothing for a while.

#if Server
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import NIOWebSocket
import TestExtensions
import Testing

@testable import RealmNetworking

struct WebSocketHandlerTests {
  /// The network: it takes frames when the test says so, and counts the reads.
  private final class SlowNetwork: ChannelOutboundHandler {
    typealias OutboundIn = WebSocketFrame

    private(set) var readCount = 0
    private var waiting: [(frame: WebSocketFrame, promise: EventLoopPromise<Void>?)] = []

    func read(context: ChannelHandlerContext) { readCount += 1 }

    func write(
      context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
      waiting.append((unwrapOutboundIn(data), promise))
    }

    /// Takes what waits; returns the contents.
    func take() -> [String] {
      let taken = waiting
      waiting = []
      for (_, promise) in taken { promise?.succeed() }
      return taken.map { String(buffer: $0.frame.data) }
    }
  }

  /// A client's frame.
  private static func frame(_ opcode: WebSocketOpcode, _ text: String) -> WebSocketFrame {
    let key: WebSocketMaskingKey = [1, 2, 3, 4]
    var data = ByteBuffer(string: text)
    data.webSocketMask(key)
    return WebSocketFrame(fin: true, opcode: opcode, maskKey: key, data: data)
  }

  /// `WebSocketHandler` 4
  @Test func nothingIsReadWhileAPongWaits() throws {
    let network = SlowNetwork()
    let handler = WebSocketHandler(isClient: false, messageByteCountMax: 1_000)
    let channel = EmbeddedChannel(handlers: [network, handler])
    defer { _ = try? channel.finish() }
    let received = NIOLockedValueBox<[String]>([])
    func receive() {
      handler.next(on: channel.embeddedEventLoop).whenSuccess { message in
        received.withLockedValue { $0.append(String(buffer: message)) }
      }
    }
    receive()
    expectEqual(network.readCount, 1)
    try channel.writeInbound(Self.frame(.ping, "a"))
    expectEqual(network.readCount, 1)
    // The caller has its message and asks for the next one.
    try channel.writeInbound(Self.frame(.binary, "message"))
    receive()
    expectEqual(received.withLockedValue { $0 }, ["message"])
    expectEqual(network.readCount, 1)
    // What the network had read already is of no more than one answer.
    for text in ["b", "c", "d"] { try channel.writeInbound(Self.frame(.ping, text)) }
    expectEqual(network.take(), ["a"])
    expectEqual(network.readCount, 1)
    expectEqual(network.take(), ["d"])
    expectEqual(network.readCount, 2)
    expectEqual(network.take(), [])
  }
}
#endif
