// SPDX-License-Identifier: Apache-2.0

// How mails to users are sent.

#if Server
/// The settings of an app's mails.
package struct MailSettings: Hashable, Sendable {
  /// The ways of a mail.
  package enum Delivery: Hashable, Sendable {
    /// As files in the folder `outbox` of the app.
    case folder
    case smtp(MailServer)
    case webhook(Webhook)
  }

  package var delivery = Delivery.folder
  /// The address of the sender.
  package var sender: String?
  /// The pages of the operator to which mails lead.
  package var links: [MailedToken.Purpose: String] = [:]
  package var subjects: [MailedToken.Purpose: String] = [:]

  package init() {}
}

/// A server that takes mails by SMTP.
package struct MailServer: Hashable, Sendable {
  /// The protection of the connection.
  package enum Security: String, CaseIterable, Hashable, Sendable {
    case tls
    case startTLS = "starttls"
    /// None: for a server of the same machine.
    case none
  }

  package var host: String
  package var port: Int
  package var security: Security
  package var user: String?
  package var password: Secret?

  package init(
    host: String, port: Int, security: Security, user: String? = nil, password: Secret? = nil
  ) {
    self.host = host
    self.port = port
    self.security = security
    self.user = user
    self.password = password
  }
}
#endif
