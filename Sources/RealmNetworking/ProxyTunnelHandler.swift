// SPDX-License-Identifier: Apache-2.0

// The tunnel through a proxy, before anything else is sent (RFC 9110, 9.3.6).
//
// The handler of swift-nio-extras reports an active connection before the tunnel exists, hides the
// status of a proxy's refusal, and needs an HTTP codec that is removed afterwards; with these
// around it, it is no shorter.

#if Sync
import NIOCore
import RealmSyncProtocol

/// Asks a proxy for a tunnel. Later handlers see an active connection once the tunnel exists.
final class ProxyTunnelHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// The head of a proxy's answer has no more bytes.
  private static let answerByteCountMax = 64 << 10

  private let request: String
  private let attempt: ConnectionAttempt
  private var answer = ByteBuffer()
  private var isOpen = false

  init(to url: SocketURL, through proxy: NetworkRoute.Proxy, _ attempt: ConnectionAttempt) {
    let host = url.host.contains(":") ? "[\(url.host)]" : url.host
    let target = "\(host):\(url.port)"
    let authorization = proxy.authorization.map { "Proxy-Authorization: \($0)\r\n" } ?? ""
    request = "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\(authorization)\r\n"
    self.attempt = attempt
  }

  func channelActive(context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: request)), promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var data = unwrapInboundIn(data)
    guard !isOpen else { return context.fireChannelRead(wrapInboundOut(data)) }
    answer.writeBuffer(&data)
    guard let end = answer.readableBytesView.firstRange(of: "\r\n\r\n".utf8) else {
      guard answer.readableBytes > Self.answerByteCountMax else { return }
      return fail("The proxy does not speak HTTP", context)
    }
    let line = String(decoding: answer.readableBytesView.prefix { $0 != 13 }, as: UTF8.self)
    let words = line.split(separator: " ", maxSplits: 2)
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
      return fail("The proxy does not speak HTTP", context)
    }
    guard (200..<300).contains(status) else {
      return fail("The proxy answered with HTTP status \(status)", context)
    }
    isOpen = true
    answer.moveReaderIndex(to: end.upperBound)
    context.fireChannelActive()
    // A server may have sent its first bytes before this handler was ready.
    if answer.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(answer)) }
    context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    if !isOpen, attempt.failure == nil {
      attempt.fail(SocketClosed(.connectFailed, "The proxy closed the connection"))
    }
    context.fireChannelInactive()
  }

  private func fail(_ text: String, _ context: ChannelHandlerContext) {
    attempt.fail(SocketClosed(.connectFailed, text))
    context.close(promise: nil)
  }
}
#endif
