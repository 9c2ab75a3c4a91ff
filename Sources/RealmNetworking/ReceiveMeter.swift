// SPDX-License-Identifier: Apache-2.0

// The bytes of a socket before they are frames: a frame that does not end is held by NIO's decoder.

#if Sync
import NIOCore

/// Tells the handler of messages of all bytes that arrive. Stands before the decoder of frames.
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
