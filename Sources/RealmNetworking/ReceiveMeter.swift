// SPDX-License-Identifier: Apache-2.0

// The bytes of a socket before they are frames: NIO's decoder holds an unfinished frame.

#if Sync
import NIOCore

/// Reports all received bytes to the handler of messages. Comes before the decoder of frames.
final class ReceiveMeter: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let handler: WebSocketHandler

  init(_ handler: WebSocketHandler) { self.handler = handler }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let data = unwrapInboundIn(data)
    guard handler.didReceive(data.readableBytes) else { return }
    context.fireChannelRead(wrapInboundOut(data))
  }
}
#endif
