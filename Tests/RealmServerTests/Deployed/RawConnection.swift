// SPDX-License-Identifier: Apache-2.0

// A TCP connection whose bytes a test writes and reads itself.

#if Server
import NIOCore
import NIOPosix
import Testing

/// A connection without any protocol.
final class RawConnection {
  /// The other side has closed the connection.
  struct Ended: Error {}

  private let channel: any Channel
  private var chunks: AsyncStream<[UInt8]>.Iterator
  private var buffer: [UInt8] = []

  /// Connects to an address like `127.0.0.1:9090`.
  ///
  /// - Parameter isReading: Whether it takes what comes.
  init(_ address: String, isReading: Bool = true) async throws {
    let parts = address.split(separator: ":")
    let port = try #require(parts.last.flatMap { Int($0) })
    let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
    chunks = stream.makeAsyncIterator()
    var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelOption(.socketOption(.tcp_nodelay), value: 1)
      .channelOption(.autoRead, value: isReading)
    // What it does not take stays with the other side, and not with the system.
    if !isReading {
      bootstrap = bootstrap.channelOption(.socketOption(.so_rcvbuf), value: 64 << 10)
    }
    channel =
      try await bootstrap
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(ByteHandler(continuation))
        }
      }
      .connect(host: String(parts[0]), port: port).get()
  }

  func send(_ bytes: [UInt8]) async throws {
    try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
  }

  /// Takes some of what comes next, where it does not take everything.
  func takePart() { channel.read() }

  func close() async { try? await channel.close() }

  /// The next bytes, as many as are asked for.
  func bytes(_ count: Int) async throws -> [UInt8] {
    while buffer.count < count { try await read() }
    defer { buffer.removeFirst(count) }
    return Array(buffer[..<count])
  }

  /// The next line, without its CR LF.
  func line() async throws -> String {
    while true {
      if let end = buffer.indices.first(where: { buffer[$0...].starts(with: [13, 10]) }) {
        defer { buffer.removeFirst(end + 2) }
        return String(decoding: buffer[..<end], as: UTF8.self)
      }
      try await read()
    }
  }

  /// What comes before the other side closes the connection.
  func rest() async -> [UInt8] {
    while (try? await read()) != nil {}
    return buffer
  }

  private func read() async throws {
    guard let chunk = await chunks.next() else { throw Ended() }
    buffer += chunk
  }
}

/// Hands the bytes of a channel over.
private final class ByteHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let continuation: AsyncStream<[UInt8]>.Continuation

  init(_ continuation: AsyncStream<[UInt8]>.Continuation) { self.continuation = continuation }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    continuation.yield(Array(buffer: unwrapInboundIn(data)))
  }

  func channelInactive(context: ChannelHandlerContext) { continuation.finish() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
#endif
