// SPDX-License-Identifier: Apache-2.0

// Mails to a mail server (RFC 5321), with TLS from the start or by STARTTLS (RFC 3207).
//
// Rules:
// 1. Nothing is sent in the clear after a server was asked for STARTTLS, and nothing that came
//    before TLS counts after it.
// 2. Names and passwords go over TLS, or to a server of the same machine.

#if Server
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import RealmFormats
import RealmNetworking
import RealmServerEngine
import RealmServerServices

/// Sends mails.
struct SMTPClient: Sendable {
  private static let connectTimeout = TimeAmount.seconds(10)
  /// A mail takes no longer.
  private static let timeout = TimeAmount.seconds(30)

  let server: MailServer
  /// Trusted beside the system's certificates.
  var trustRoots: [NIOSSLCertificate] = []

  /// Sends a mail on a connection of its own.
  ///
  /// - Throws: `MailFailure`.
  func send(_ message: MailMessage) async throws {
    do {
      try await deliver(message)
    } catch let failure as MailFailure {
      throw failure
    } catch {
      throw MailFailure(
        "the mail server \(server.host):\(server.port) could not be used: "
          + ErrorText.cause(of: error))
    }
  }

  private func deliver(_ message: MailMessage) async throws {
    let context = try security()
    let host = server.host
    let isSecure = server.security == .tls
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connectTimeout(Self.connectTimeout)
      .connect(host: host, port: server.port) { channel in
        channel.eventLoop.makeCompletedFuture {
          if isSecure, let context {
            try channel.pipeline.syncOperations.addHandler(Self.tls(context, host))
          }
          return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
            wrappingChannelSynchronously: channel)
        }
      }
    let raw = channel.channel
    let timer = raw.eventLoop.scheduleTask(in: Self.timeout) { raw.close(promise: nil) }
    defer { timer.cancel() }
    try await channel.executeThenClose { inbound, outbound in
      var session = SMTPSession(
        replies: inbound.makeAsyncIterator(), outbound: outbound, server: server.host)
      try await session.expect([220])
      try await session.greet(message.senderDomain)
      if server.security == .startTLS, let context {
        try await session.beginTLS()
        try await raw.eventLoop.submit {
          try raw.pipeline.syncOperations.addHandler(
            Self.tls(context, host), position: .first)
        }.get()
        try await session.greet(message.senderDomain)
      }
      if let user = server.user, let password = server.password {
        try await session.authenticate(user, password.text)
      }
      try await session.deliver(message)
    }
  }

  private func security() throws -> NIOSSLContext? {
    guard server.security != .none else { return nil }
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.minimumTLSVersion = .tlsv12
    if !trustRoots.isEmpty { configuration.additionalTrustRoots = [.certificates(trustRoots)] }
    return try NIOSSLContext(configuration: configuration)
  }

  private static func tls(_ context: NIOSSLContext, _ host: String) throws -> NIOSSLClientHandler {
    let isAddress = host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." }
    return try NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : host)
  }
}

/// A mail could not be handed to its server.
struct MailFailure: Error, Hashable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
#endif
