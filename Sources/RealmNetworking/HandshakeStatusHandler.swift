// SPDX-License-Identifier: Apache-2.0

// The status of a refused handshake.

#if Sync
import NIOCore
import NIOHTTP1

/// Waits for the head of an answer, and closes the channel.
final class HandshakeStatusHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart

  private var promise: EventLoopPromise<Int>?

  init(_ promise: EventLoopPromise<Int>) { self.promise = promise }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(let head) = unwrapInboundIn(data), let promise else { return }
    self.promise = nil
    promise.succeed(Int(head.status.code))
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    promise?.fail(ChannelError.eof)
    promise = nil
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    promise?.fail(error)
    promise = nil
    context.close(promise: nil)
  }
}
#endif
