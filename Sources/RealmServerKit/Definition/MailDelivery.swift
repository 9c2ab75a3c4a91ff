// SPDX-License-Identifier: Apache-2.0

// The way of an app's mails.

#if Server
import RealmServerEngine
import RealmServerServices

/// The way of the mails with which users confirm addresses and get new passwords.
public struct MailDelivery: Hashable, Sendable {
  /// The protection of a connection to a mail server.
  public enum Security: Hashable, Sendable {
    /// TLS from the first byte.
    case tls
    /// TLS after a command.
    case startTLS
    /// None: for a server of the same machine.
    case none
  }

  let delivery: MailSettings.Delivery

  /// Files in the folder `outbox` of the app.
  public static let folder = MailDelivery(delivery: .folder)

  /// A mail server.
  public static func smtp(
    host: String, port: Int, security: Security = .tls, user: String? = nil,
    password: String? = nil
  ) -> MailDelivery {
    let kind: MailServer.Security =
      switch security {
      case .tls: .tls
      case .startTLS: .startTLS
      case .none: .none
      }
    return MailDelivery(
      delivery: .smtp(
        MailServer(
          host: host, port: port, security: kind, user: user,
          password: password.map { Secret($0) })))
  }

  /// Signed requests to a web service.
  ///
  /// - Parameter secret: The key of the signatures.
  public static func webhook(url: String, secret: String) -> MailDelivery {
    MailDelivery(delivery: .webhook(Webhook(url: url, secret: Secret(secret))))
  }
}
#endif
