// SPDX-License-Identifier: Apache-2.0

// The commands of SMTP, and the replies of its server.

#if Server
import Foundation
import NIOCore
import RealmFormats
import RealmText

/// A session with a mail server.
struct SMTPSession {
  private static let replyByteCountMax = 64 << 10

  private var replies: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
  private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
  private let server: String
  /// What has come and is not read.
  private var buffer: [UInt8] = []
  /// The words after the first of each line of the answer to EHLO, by the first.
  private var extensions: [String: [String]] = [:]

  init(
    replies: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
    outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>, server: String
  ) {
    self.replies = replies
    self.outbound = outbound
    self.server = server
  }

  // MARK: Commands

  /// Asks the server for its extensions.
  mutating func greet(_ domain: String) async throws {
    let name = domain.allSatisfy(\.isASCII) ? domain : "localhost"
    let lines = try await command("EHLO \(name)", [250])
    extensions = [:]
    for line in lines.dropFirst() {
      let words = line.uppercased().split(separator: " ").map(String.init)
      if let first = words.first { extensions[first] = Array(words.dropFirst()) }
    }
  }

  /// Asks for TLS, which begins after the reply.
  mutating func beginTLS() async throws {
    guard extensions["STARTTLS"] != nil else {
      throw failure("offers no STARTTLS, which the app's file asks for")
    }
    try await command("STARTTLS", [220])
    guard buffer.isEmpty else { throw failure("sent something in the clear after STARTTLS") }
  }

  mutating func authenticate(_ user: String, _ password: String) async throws {
    let ways = extensions["AUTH"] ?? []
    if ways.contains("PLAIN") || !ways.contains("LOGIN") {
      let text = Base64.encode(Array("\0\(user)\0\(password)".utf8))
      try await command("AUTH PLAIN \(text)", [235], named: "AUTH PLAIN")
    } else {
      try await command("AUTH LOGIN", [334])
      try await command(Base64.encode(Array(user.utf8)), [334], named: "the user's name")
      try await command(Base64.encode(Array(password.utf8)), [235], named: "the password")
    }
  }

  mutating func deliver(_ message: MailMessage) async throws {
    var option = ""
    if !(message.recipient + message.sender).allSatisfy(\.isASCII) {
      guard extensions["SMTPUTF8"] != nil else {
        throw failure("takes no addresses with other characters than ASCII")
      }
      option = " SMTPUTF8"
    }
    try await command("MAIL FROM:<\(message.sender)>\(option)", [250])
    try await command("RCPT TO:<\(message.recipient)>", [250, 251], named: "RCPT TO")
    try await command("DATA", [354])
    try await write(message.bytes(date: Date()) + Array(".\r\n".utf8))
    try await expect([250], after: "the mail")
    try await write(Array("QUIT\r\n".utf8))
  }

  // MARK: Replies

  /// Sends a command and reads its reply; returns the texts of its lines.
  ///
  /// - Parameter name: The command in errors: some have secrets and addresses.
  @discardableResult
  private mutating func command(
    _ command: String, _ codes: Set<Int>, named name: String? = nil
  ) async throws -> [String] {
    try await write(Array((command + "\r\n").utf8))
    return try await expect(
      codes, after: name ?? String(command.split(separator: " ").first ?? ""))
  }

  private func write(_ bytes: [UInt8]) async throws {
    try await outbound.write(ByteBuffer(bytes: bytes))
  }

  /// Reads a reply; returns the texts of its lines.
  @discardableResult
  mutating func expect(
    _ codes: Set<Int>, after name: String = "the connection"
  ) async throws -> [String] {
    var lines: [String] = []
    while true {
      let line = try await line()
      guard let code = Int(line.prefix(3)), line.utf8.count >= 3 else {
        throw failure("sent no reply of SMTP")
      }
      lines.append(String(line.dropFirst(4)))
      guard line.dropFirst(3).first != "-" else { continue }
      guard codes.contains(code) else { throw failure("answered \(code) to \(name)") }
      return lines
    }
  }

  private mutating func line() async throws -> String {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        var line = Array(buffer[..<end])
        buffer.removeFirst(end + 1)
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return String(decoding: line, as: UTF8.self)
      }
      guard buffer.count < Self.replyByteCountMax else { throw failure("sent an endless reply") }
      guard let next = try await replies.next() else { throw failure("closed the connection") }
      buffer += next.readableBytesView
    }
  }

  private func failure(_ text: String) -> MailFailure {
    MailFailure("the mail server \(server) \(text)")
  }
}
#endif
