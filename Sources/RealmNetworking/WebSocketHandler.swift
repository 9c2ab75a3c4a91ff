// SPDX-License-Identifier: Apache-2.0

// The messages of a WebSocket in NIO's pipeline, of a client's or a server's.
//
// Invariants, all on the channel's event loop:
// 1. The channel is read only while a caller waits for a message, or for the end.
// 2. A close frame is sent at most once, and no message after it.
// 3. Each wait for a message ends: with a message, or with the reason of the end.

#if Sync
import NIOCore
import NIOWebSocket
import RealmSync
import RealmSyncProtocol

/// Joins frames to messages, answers pings, and closes as RFC 6455 says.
final class WebSocketHandler: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  /// The time that the other side has to answer a close frame.
  private static let closeTimeout = TimeAmount.seconds(5)

  private let isClient: Bool
  private let messageByteCountMax: Int
  private var context: ChannelHandlerContext?
  /// Messages that came before a caller asked for them: those of one read.
  private var messages = CircularBuffer<ByteBuffer>(initialCapacity: 1)
  /// The first frames of a message whose last has not come.
  private var fragments: ByteBuffer?
  private var waiter: EventLoopPromise<ByteBuffer>?
  private var end: SocketClosed?
  private var isCloseSent = false
  private var closeTimer: Scheduled<Void>?

  init(isClient: Bool, messageByteCountMax: Int) {
    self.isClient = isClient
    self.messageByteCountMax = messageByteCountMax
  }

  // MARK: Requests

  /// The next message.
  func next(on loop: any EventLoop) -> EventLoopFuture<ByteBuffer> {
    if let message = messages.popFirst() { return loop.makeSucceededFuture(message) }
    if let end { return loop.makeFailedFuture(end) }
    precondition(waiter == nil, "one task receives")
    let promise = loop.makePromise(of: ByteBuffer.self)
    waiter = promise
    context?.read()
    return promise.futureResult
  }

  /// Sends a message.
  func send(_ message: ByteBuffer, on loop: any EventLoop) -> EventLoopFuture<Void> {
    guard let context, end == nil, !isCloseSent else {
      return loop.makeFailedFuture(end ?? SocketClosed(.writeFailed, "The socket is closed"))
    }
    let promise = loop.makePromise(of: Void.self)
    context.writeAndFlush(wrapOutboundOut(frame(.binary, message)), promise: promise)
    return promise.futureResult
  }

  /// Sends a close frame and waits, for a short time, until the other side closes.
  func close(_ code: CloseCode, reason: String) {
    guard let context, !isCloseSent else { return }
    sendClose(code.rawValue, reason, context)
    finish(SocketClosed(code, reason))
    let channel = context.channel
    closeTimer = context.eventLoop.scheduleTask(in: Self.closeTimeout) {
      channel.close(promise: nil)
    }
    // What still comes is dropped, up to the close frame.
    context.read()
  }

  // MARK: Frames

  private func frame(_ opcode: WebSocketOpcode, _ data: ByteBuffer) -> WebSocketFrame {
    WebSocketFrame(fin: true, opcode: opcode, maskKey: isClient ? .random() : nil, data: data)
  }

  private func sendClose(_ code: Int, _ reason: String, _ context: ChannelHandlerContext) {
    isCloseSent = true
    var data = context.channel.allocator.buffer(capacity: 2 + reason.utf8.count)
    // 1005 and 1006 stand for codes that are missing; they are never sent.
    if code != 1005, code != 1006 {
      data.writeInteger(UInt16(truncatingIfNeeded: code))
      data.writeString(reason)
    }
    context.writeAndFlush(wrapOutboundOut(frame(.connectionClose, data)), promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    switch frame.opcode {
    case .binary, .text: take(frame.unmaskedData, isLast: frame.fin, context)
    case .continuation:
      guard var joined = fragments else {
        return fail(.protocolError, "A message begins with a continuation", context)
      }
      fragments = nil
      var data = frame.unmaskedData
      guard joined.readableBytes + data.readableBytes <= messageByteCountMax else {
        return fail(.messageTooBig, "A message is too large", context)
      }
      joined.writeBuffer(&data)
      take(joined, isLast: frame.fin, context)
    case .ping:
      guard !isCloseSent else { return }
      context.writeAndFlush(wrapOutboundOut(self.frame(.pong, frame.unmaskedData)), promise: nil)
    case .connectionClose: receiveClose(frame.unmaskedData, context)
    default: break
    }
  }

  private func take(_ data: ByteBuffer, isLast: Bool, _ context: ChannelHandlerContext) {
    guard end == nil else { return }
    guard fragments == nil else {
      return fail(.protocolError, "A message begins inside of another", context)
    }
    guard isLast else {
      fragments = data
      return
    }
    if let waiter {
      self.waiter = nil
      waiter.succeed(data)
    } else {
      messages.append(data)
    }
  }

  private func receiveClose(_ data: ByteBuffer, _ context: ChannelHandlerContext) {
    var data = data
    let code = data.readInteger(as: UInt16.self).map(Int.init) ?? 1005
    let reason = data.readString(length: data.readableBytes) ?? ""
    finish(SocketClosed(CloseCode(code), reason))
    if !isCloseSent { sendClose(code, "", context) }
    context.close(promise: nil)
  }

  private func fail(_ code: CloseCode, _ reason: String, _ context: ChannelHandlerContext) {
    finish(SocketClosed(code, reason))
    if !isCloseSent { sendClose(code.rawValue, reason, context) }
    context.close(promise: nil)
  }

  /// Notes why the socket ends; only the first reason counts.
  private func finish(_ reason: SocketClosed) {
    if end == nil { end = reason }
    fragments = nil
    guard let waiter, let end else { return }
    self.waiter = nil
    waiter.fail(end)
  }

  // MARK: Channel

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func channelReadComplete(context: ChannelHandlerContext) {
    if waiter != nil || isCloseSent { context.read() }
  }

  /// Listeners keep the channel of a client that says that it sends nothing more. A WebSocket ends
  /// with that.
  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? ChannelEvent, case .inputClosed = event {
      finish(SocketClosed(.readFailed, "The connection was lost"))
      return context.close(promise: nil)
    }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    closeTimer?.cancel()
    finish(SocketClosed(.readFailed, "The connection was lost"))
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if error is NIOWebSocketError {
      // NIO's own handler, which comes after this one, sends the close frame.
      isCloseSent = true
      let isTooLarge = error as? NIOWebSocketError == .invalidFrameLength
      finish(
        SocketClosed(
          isTooLarge ? .messageTooBig : .protocolError, "The other side sent a bad frame"))
      return context.fireErrorCaught(error)
    }
    finish(SocketClosed(.readFailed, "\(error)"))
    context.close(promise: nil)
  }
}
#endif
