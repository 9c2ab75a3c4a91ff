// SPDX-License-Identifier: Apache-2.0

// The messages of a WebSocket in NIO's pipeline, of a client's or a server's.
//
// Invariants, all on the channel's event loop:
// 1. The channel is read only while a caller waits for a message, or for the end.
// 2. A close frame is sent at most once, and no message after it.
// 3. Each wait for a message ends: with a message, or with the reason of the end.
// 4. The channel is not read while a pong waits for the network, and of several pings the last is
//    answered: a client that does not read cannot make the socket keep pongs without end.
// 5. What has arrived and was not handed over is taken from the memory, byte for byte, and given
//    back once.

#if Sync
import NIOCore
import NIOWebSocket
import RealmSyncProtocol

/// Joins frames to messages, answers pings, and closes as RFC 6455 says.
final class WebSocketHandler: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  /// The time that the other side has to answer a close frame.
  private static let closeTimeout = TimeAmount.seconds(5)
  /// The content of a close frame has 125 bytes at most, two of them for the code.
  private static let reasonByteCountMax = 123

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
  /// The content of the last ping that is not answered.
  private var ping: ByteBuffer?
  private var isPongWaiting = false
  private let memory: (any SocketMemory)?
  /// What is taken from the memory.
  private var heldByteCount = 0

  init(isClient: Bool, messageByteCountMax: Int, memory: (any SocketMemory)? = nil) {
    self.isClient = isClient
    self.messageByteCountMax = messageByteCountMax
    self.memory = memory
  }

  // MARK: Memory

  /// Takes memory for bytes that have arrived. Returns false if the socket ends for the lack of it.
  func didReceive(_ byteCount: Int) -> Bool {
    guard let memory else { return true }
    guard memory.take(byteCount) else {
      if let context { fail(.policyViolation, "The server has no room for the message", context) }
      return false
    }
    heldByteCount += byteCount
    return true
  }

  private func release(_ byteCount: Int) {
    guard let memory else { return }
    let count = min(byteCount, heldByteCount)
    heldByteCount -= count
    memory.giveBack(count)
  }

  /// The bytes of a frame before its content, in their shortest form.
  private static func headByteCount(_ frame: WebSocketFrame) -> Int {
    let count = frame.length
    return 2 + (count < 126 ? 0 : count < 65_536 ? 2 : 8) + (frame.maskKey == nil ? 0 : 4)
  }

  // MARK: Requests

  func next(on loop: any EventLoop) -> EventLoopFuture<ByteBuffer> {
    if let message = messages.popFirst() {
      release(message.readableBytes)
      return loop.makeSucceededFuture(message)
    }
    if let end { return loop.makeFailedFuture(end) }
    precondition(waiter == nil, "one task receives")
    let promise = loop.makePromise(of: ByteBuffer.self)
    waiter = promise
    read()
    return promise.futureResult
  }

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
    read()
  }

  private func read() {
    guard !isPongWaiting, waiter != nil || isCloseSent else { return }
    context?.read()
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
      data.writeString(reason.cut(toByteCount: Self.reasonByteCountMax))
    }
    context.writeAndFlush(wrapOutboundOut(frame(.connectionClose, data)), promise: nil)
  }

  /// Why a frame is none that the other side may send; nil if it may.
  private func defect(of frame: WebSocketFrame) -> String? {
    if frame.rsv1 || frame.rsv2 || frame.rsv3 { return "A frame has bits that are reserved" }
    // A server that took plain frames would let scripts of pages write what proxies misread.
    if (frame.maskKey == nil) != isClient { return "A frame has no mask, or one too many" }
    switch frame.opcode {
    case .binary, .text, .continuation, .ping, .pong, .connectionClose: return nil
    default: return "A frame is of no kind that is known"
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    release(Self.headByteCount(frame))
    if let defect = defect(of: frame) { return fail(.protocolError, defect, context) }
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
      release(frame.length)
      ping = frame.unmaskedData
    case .connectionClose: receiveClose(frame.unmaskedData, context)
    default: release(frame.length)
    }
  }

  /// Answers the last ping, unless an earlier answer waits for the network.
  private func answerPing(_ context: ChannelHandlerContext) {
    guard let data = ping, !isPongWaiting, !isCloseSent else { return }
    ping = nil
    isPongWaiting = true
    let promise = context.eventLoop.makePromise(of: Void.self)
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    promise.futureResult.whenComplete { _ in
      bound.value.isPongWaiting = false
      // A ping may have been read with the one that is answered now.
      if let context = bound.value.context { bound.value.answerPing(context) }
      bound.value.read()
    }
    context.writeAndFlush(wrapOutboundOut(frame(.pong, data)), promise: promise)
  }

  private func take(_ data: ByteBuffer, isLast: Bool, _ context: ChannelHandlerContext) {
    guard end == nil else { return release(data.readableBytes) }
    guard fragments == nil else {
      return fail(.protocolError, "A message begins inside of another", context)
    }
    guard isLast else {
      fragments = data
      return
    }
    if let waiter {
      self.waiter = nil
      release(data.readableBytes)
      waiter.succeed(data)
    } else {
      messages.append(data)
    }
  }

  private func receiveClose(_ data: ByteBuffer, _ context: ChannelHandlerContext) {
    var data = data
    let isEmpty = data.readableBytes == 0
    let code = data.readInteger(as: UInt16.self).map(Int.init) ?? 1005
    guard isEmpty || Self.isCloseCode(code) else {
      return fail(.protocolError, "A close frame has a code that is none", context)
    }
    let reason = data.readString(length: data.readableBytes) ?? ""
    finish(SocketClosed(CloseCode(code), reason))
    if !isCloseSent { sendClose(code, "", context) }
    context.close(promise: nil)
  }

  /// Whether a code may stand in a close frame (RFC 6455, 7.4).
  private static func isCloseCode(_ code: Int) -> Bool {
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
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
    // Messages that were complete before the end are handed over still.
    release(heldByteCount - messages.reduce(0) { $0 + $1.readableBytes })
    guard let waiter, let end else { return }
    self.waiter = nil
    waiter.fail(end)
  }

  // MARK: Channel

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    messages.removeAll()
    release(heldByteCount)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    answerPing(context)
    read()
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

/// The memory for what a socket has received, until it is handed over.
package protocol SocketMemory: Sendable {
  /// Takes bytes. Returns false if there is no room for them.
  func take(_ byteCount: Int) -> Bool
  func giveBack(_ byteCount: Int)
}
#endif
