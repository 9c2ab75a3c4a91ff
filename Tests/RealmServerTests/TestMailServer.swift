// SPDX-License-Identifier: Apache-2.0

// A mail server of a test, that says what it is told to say.

#if Server
import NIOCore
import NIOPosix
import NIOSSL
import RealmStorage

/// Takes mails on the loopback address.
final class TestMailServer: Sendable {
  /// What the server offers, and how it misbehaves.
  struct Script: Sendable {
    var extensions = ["SMTPUTF8", "AUTH PLAIN LOGIN"]
    /// Replies by the first word of commands, in place of the usual ones.
    var replies: [String: String] = [:]
    /// The server's side of TLS; nil for none.
    var tls: NIOSSLContext?
    /// Whether TLS begins with the connection, in place of STARTTLS.
    var isSecureAtOnce = false
  }

  private let channel: any Channel
  private let kept: Locked<[String]>

  init(_ script: Script = Script()) async throws {
    let kept = Locked<[String]>([])
    self.kept = kept
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          if let tls = script.tls, script.isSecureAtOnce {
            try pipeline.addHandler(NIOSSLServerHandler(context: tls))
          }
          try pipeline.addHandler(MailHandler(script, kept))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  var port: Int { channel.localAddress?.port ?? 0 }

  /// All lines of clients.
  var lines: [String] { kept.withLock { $0 } }

  func stop() async throws { try await channel.close() }
}

/// Reads lines, and replies to commands.
private final class MailHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let script: TestMailServer.Script
  private let kept: Locked<[String]>
  private var rest = ""
  private var isInMail = false
  private var isGreeted = false
  /// The steps of AUTH LOGIN to come.
  private var steps = 0

  init(_ script: TestMailServer.Script, _ kept: Locked<[String]>) {
    self.script = script
    self.kept = kept
  }

  func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { greet(context) }
  }

  func channelActive(context: ChannelHandlerContext) {
    context.fireChannelActive()
    greet(context)
  }

  private func greet(_ context: ChannelHandlerContext) {
    guard !isGreeted else { return }
    isGreeted = true
    reply(script.replies[""] ?? "220 test", context)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    rest += String(buffer: unwrapInboundIn(data))
    while let end = rest.firstRange(of: "\r\n") {
      let line = String(rest[..<end.lowerBound])
      rest = String(rest[end.upperBound...])
      kept.withLock { $0.append(line) }
      take(line, context)
    }
  }

  private func take(_ line: String, _ context: ChannelHandlerContext) {
    if isInMail {
      guard line == "." else { return }
      isInMail = false
      return reply(script.replies["."] ?? "250 ok", context)
    }
    if steps > 0 {
      steps -= 1
      return reply(steps == 0 ? "235 ok" : "334 UGFzc3dvcmQ6", context)
    }
    let word = String(line.split(separator: " ").first ?? "").uppercased()
    if let text = script.replies[word] { return reply(text, context) }
    switch word {
    case "EHLO":
      let lines = ["test"] + script.extensions
      for line in lines.dropLast() { reply("250-" + line, context) }
      reply("250 " + (lines.last ?? ""), context)
    case "STARTTLS":
      reply("220 go on", context)
      if let tls = script.tls {
        try? context.pipeline.syncOperations.addHandler(
          NIOSSLServerHandler(context: tls), position: .first)
      }
    case "AUTH":
      steps = line.hasSuffix("LOGIN") ? 2 : 0
      reply(steps == 0 ? "235 ok" : "334 VXNlcm5hbWU6", context)
    case "DATA":
      isInMail = true
      reply("354 go on", context)
    case "QUIT": reply("221 bye", context)
    default: reply("250 ok", context)
    }
  }

  private func reply(_ text: String, _ context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text + "\r\n")), promise: nil)
  }
}
#endif
