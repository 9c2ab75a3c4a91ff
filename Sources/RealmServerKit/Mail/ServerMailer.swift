// SPDX-License-Identifier: Apache-2.0

// The mails of an app on the way that its file names.

#if Server
import NIOSSL
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmSyncProtocol

/// Delivers the mails of an app.
struct ServerMailer: AccountMailer {
  let app: String
  let outbox: OutboxMailer
  let services: LoginServices
  let clock: ServerClock
  /// Trusted beside the system's certificates.
  var trustRoots: [NIOSSLCertificate] = []

  func deliver(_ mail: AccountMail, by settings: MailSettings) async throws {
    switch settings.delivery {
    case .folder: try outbox.deliver(mail, by: settings)
    case .webhook(let hook):
      let document = try ExtendedJSONReader.value(mail.json(by: settings))
      let now = clock.now().milliseconds + OriginTimestamp.unixOffset
      _ = try await services.call(hook, .mail, of: app, [document], now: Int64(now / 1_000))
    case .smtp(let server):
      let message = MailMessage(
        sender: settings.sender ?? "", recipient: mail.address,
        subject: mail.subject(by: settings), text: mail.text(by: settings), id: mail.tokenID)
      try await SMTPClient(server: server, trustRoots: trustRoots).send(message)
    }
  }
}
#endif
