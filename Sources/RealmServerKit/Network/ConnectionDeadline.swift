// SPDX-License-Identifier: Apache-2.0

// The ends of idle and unfinished connections.

#if Server
import NIOCore

/// Closes a connection that has sent no whole head of a request in time, and at the shutdown one
/// that has not begun, or does not end.
final class ConnectionDeadline: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = Any
  typealias InboundOut = Any

  /// The time that a connection has after the shutdown began.
  private static let endTimeout = TimeAmount.seconds(2)

  private let headTime: TimeAmount
  private var timer: Scheduled<Void>?
  private var hasBegun = false

  /// - Parameter headTime: The time for TLS and the head of the first request together.
  init(headTime: TimeAmount) { self.headTime = headTime }

  func handlerAdded(context: ChannelHandlerContext) { close(context, in: headTime) }

  /// Notes that the head of a request has come. Called on the event loop.
  func requestDidBegin() {
    hasBegun = true
    timer?.cancel()
  }

  private func close(_ context: ChannelHandlerContext, in time: TimeAmount) {
    timer?.cancel()
    let channel = context.channel
    timer = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    context.fireChannelInactive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent {
      if hasBegun { close(context, in: Self.endTimeout) } else { context.close(promise: nil) }
    }
    context.fireUserInboundEventTriggered(event)
  }
}
#endif
