// SPDX-License-Identifier: Apache-2.0

// The users of an app for commands, which run beside a server or without one.

#if Server
import RealmNetworking
package import RealmServerEngine
package import RealmServerServices
import RealmStorage

/// Makes the service of users for commands.
package enum OperatorAccounts {
  /// The users of an app.
  ///
  /// - Parameter key: The key of tokens.
  package static func service(
    of app: AppFile, in directory: ServerDirectory, store: AccountStore, key: [UInt8],
    clock: ServerClock
  ) -> AccountService {
    let services = LoginServices(
      cryptography: ServerCryptography(), transport: ClientTransport.services,
      functions: LoginFunctions())
    return AccountService(
      app: app.id, settings: app.accounts, store: store,
      passwords: PasswordChecker(ScryptHasher()), issuer: TokenIssuer(HMACSigner(key: key)),
      random: RandomBytes(), clock: clock,
      mailer: ServerMailer(
        app: app.id, outbox: OutboxMailer(folder: directory.outboxPath(app.id)),
        services: services, clock: clock), services: services)
  }
}
#endif
