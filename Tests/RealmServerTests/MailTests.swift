// SPDX-License-Identifier: Apache-2.0

// Mails by SMTP.

#if Server
import Foundation
import NIOSSL
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmText
import TestExtensions
import Testing

@testable import RealmServerKit

@Suite(.timeLimit(.minutes(10))) struct MailTests {
  private static let message = MailMessage(
    sender: "app@x.org", recipient: "ann@y.org", subject: "Hi", text: "a\n.\nb\n", id: "abc")

  private static func server(
    _ server: TestMailServer, _ security: MailServer.Security = .none, user: String? = nil
  ) -> MailServer {
    MailServer(
      host: "127.0.0.1", port: server.port, security: security, user: user,
      password: user == nil ? nil : Secret("PASSWORD"))
  }

  private static func failure(_ body: () async throws -> Void) async -> String {
    do {
      try await body()
      return "none"
    } catch {
      return "\(error)"
    }
  }

  @Test func aMailIsHandedOver() async throws {
    let server = try await TestMailServer()
    try await SMTPClient(server: Self.server(server, user: "ann")).send(Self.message)
    let lines = server.lines
    let plain = Base64.encode(Array("\0ann\0PASSWORD".utf8))
    expectEqual(
      Array(lines.prefix(5)),
      [
        "EHLO x.org", "AUTH PLAIN \(plain)", "MAIL FROM:<app@x.org>", "RCPT TO:<ann@y.org>",
        "DATA",
      ])
    expectTrue(lines.contains("From: <app@x.org>"))
    expectTrue(lines.contains("To: <ann@y.org>"))
    expectTrue(lines.contains(Base64.encode(Array("a\r\n.\r\nb\r\n".utf8))))
    expectEqual(lines.filter { $0 == "." }.count, 1)
    try await server.stop()
  }

  @Test func serversMayAskForThePasswordInSteps() async throws {
    let server = try await TestMailServer(.init(extensions: ["AUTH LOGIN"]))
    try await SMTPClient(server: Self.server(server, user: "ann")).send(Self.message)
    expectEqual(
      Array(server.lines[1...3]),
      ["AUTH LOGIN", Base64.encode(Array("ann".utf8)), Base64.encode(Array("PASSWORD".utf8))])
    try await server.stop()
  }

  /// `SMTPClient` 2
  @Test(arguments: [MailServer.Security.tls, .startTLS])
  func aMailIsEncrypted(_ security: MailServer.Security) async throws {
    guard let certificate = try TestCertificate() else { return }
    let chain = try NIOSSLCertificate.fromPEMFile(certificate.certificatePath)
    let context = try NIOSSLContext(
      configuration: .makeServerConfiguration(
        certificateChain: chain.map { .certificate($0) },
        privateKey: .privateKey(NIOSSLPrivateKey(file: certificate.keyPath, format: .pem))))
    let server = try await TestMailServer(
      .init(extensions: ["STARTTLS"], tls: context, isSecureAtOnce: security == .tls))
    let client = SMTPClient(server: Self.server(server, security, user: "ann"), trustRoots: chain)
    try await client.send(Self.message)
    expectTrue(server.lines.contains("RCPT TO:<ann@y.org>"))
    // A certificate that nobody trusts ends it before a name or an address is sent.
    let count = server.lines.count
    let text = await Self.failure {
      try await SMTPClient(server: client.server).send(Self.message)
    }
    expectTrue(text.contains("could not be used"), "\(text)")
    #expect(!server.lines.dropFirst(count).contains { $0.contains("AUTH") || $0.contains("ann") })
    try await server.stop()
  }

  /// `SMTPClient` 1
  @Test func nothingIsSentInTheClearWhereTLSIsAskedFor() async throws {
    for script in [
      TestMailServer.Script(extensions: []),
      .init(extensions: ["STARTTLS"], replies: ["STARTTLS": "454 not now"]),
      .init(extensions: ["STARTTLS"], replies: ["STARTTLS": "220 go\r\n250 injected"]),
    ] {
      let server = try await TestMailServer(script)
      let text = await Self.failure {
        try await SMTPClient(server: Self.server(server, .startTLS, user: "ann"))
          .send(Self.message)
      }
      expectTrue(text.contains("STARTTLS"), "\(text)")
      #expect(server.lines.allSatisfy { $0.hasPrefix("EHLO") || $0 == "STARTTLS" })
      try await server.stop()
    }
  }

  @Test func repliesOfServersAreNamedWithoutSecrets() async throws {
    for (replies, expected) in [
      (["": "554 no"], "answered 554 to the connection"), (["EHLO": "500 what"], "to EHLO"),
      (["AUTH": "535 wrong"], "answered 535 to AUTH PLAIN"),
      (["RCPT": "550 unknown"], "answered 550 to RCPT TO"), (["DATA": "x"], "no reply of SMTP"),
      ([".": "552 too large"], "answered 552 to the mail"),
      (["MAIL": "250-a\r\n250-b\r\n451 later"], "answered 451 to MAIL"),
    ] {
      let server = try await TestMailServer(.init(replies: replies))
      let text = await Self.failure {
        try await SMTPClient(server: Self.server(server, user: "ann")).send(Self.message)
      }
      expectTrue(text.contains(expected), "\(text)")
      expectTrue(text.contains("127.0.0.1"), "\(text)")
      expectFalse(text.contains("PASSWORD"))
      expectFalse(text.contains("y.org"))
      try await server.stop()
    }
    let server = try await TestMailServer()
    let gone = Self.server(server)
    try await server.stop()
    let text = await Self.failure { try await SMTPClient(server: gone).send(Self.message) }
    expectTrue(text.contains("could not be used"), "\(text)")
  }

  @Test func addressesOfAllLettersNeedTheServersConsent() async throws {
    let message = MailMessage(
      sender: "app@x.org", recipient: "änn@y.org", subject: "Hi", text: "", id: "abc")
    let server = try await TestMailServer()
    try await SMTPClient(server: Self.server(server)).send(message)
    expectTrue(server.lines.contains("MAIL FROM:<app@x.org> SMTPUTF8"))
    try await server.stop()
    let old = try await TestMailServer(.init(extensions: []))
    let text = await Self.failure { try await SMTPClient(server: Self.server(old)).send(message) }
    expectTrue(text.contains("other characters than ASCII"))
    try await old.stop()
  }

  @Test func aMailHasHeadersOfItsOwn() {
    let date = Date(timeIntervalSince1970: 1_700_000_000)
    let subject = "Ein sehr langer Betreff, der für ein kodiertes Wort viel zu lang ist: äöü"
    let message = MailMessage(
      sender: "app@x.org", recipient: "ann@y.org", subject: subject,
      text: String(repeating: "Zeile\n", count: 40), id: "abc")
    let text = String(decoding: message.bytes(date: date), as: UTF8.self)
    let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
    expectTrue(text.contains("\r\nDate: Tue, 14 Nov 2023 22:13:20 +0000\r\n"))
    expectTrue(text.contains("\r\nMessage-ID: <abc@x.org>\r\n"))
    #expect(lines.allSatisfy { $0.utf8.count <= 78 && $0.allSatisfy(\.isASCII) })
    #expect(!lines.contains { $0.hasPrefix(".") })
    let words = text.split(separator: "=?utf-8?B?").dropFirst().compactMap { part in
      Base64.decode(String(part.prefix { $0 != "?" }))
    }
    expectEqual(String(decoding: words.joined(), as: UTF8.self), subject)
    expectTrue(words.count > 1)
    #expect(words.allSatisfy { String(validating: $0, as: UTF8.self) != nil })
  }
}
#endif
