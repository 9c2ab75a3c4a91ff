// SPDX-License-Identifier: Apache-2.0

// The settings of an app in Swift, in place of those that an operator writes into `app.json`.

#if Server
import RealmFormats
import RealmServerEngine
import RealmServerServices
public import RealmSwift
import RealmSyncProtocol

/// The settings of an app.
///
/// ```swift
/// var settings = AppSettings()
/// settings.logIns = [.emailPassword()]
/// settings.rules = .roles(
///   ClassRoles(Todo.self, AccessRole("owner").writing(
///     where: .property(\Todo.owner).equals(.userID)).inserting().deleting()))
/// ```
///
/// The server writes them into the `app.json` of the app's folder when it starts, so that the
/// commands of `realm-server` know them.
public struct AppSettings: Sendable {
  /// How devices synchronise.
  public enum Sync: Hashable, Sendable {
    /// Objects that subscriptions name.
    case flexible
    /// Partitions.
    case partitions
  }

  /// How devices synchronise. It stays as it was when the app was first served.
  public var sync: Sync
  /// The name for people; the id if it is nil.
  public var name: String?
  /// The ways to log in, beside functions for logins.
  public var logIns: Set<LogInKind> = [.anonymous]
  /// Who may read and write what.
  public var rules = AppRules.development
  /// The way of mails.
  public var mail = MailDelivery.folder
  /// The address of the sender of mails.
  public var mailSender: String?
  /// The page of the app to which mails for confirmations lead.
  public var confirmationPage: String?
  /// The page of the app to which mails for new passwords lead.
  public var passwordPage: String?
  /// The minutes of validity of an access token.
  public var accessMinutes = 30
  /// The days after which a user has to log in again.
  public var refreshDays = 60
  /// The origins of the pages of the web that may call the app, like `"https://app.example.org"`,
  /// or `"*"` for all. With `AppRules.development`, pages of the reader's own machine may call it,
  /// too.
  public var allowedOrigins: [String] = []
  private var customUserData: CustomUserData?
  private var push: [PushProvider] = []

  /// Settings of an app with anonymous users in development mode.
  public init(sync: Sync = .flexible) { self.sync = sync }

  /// The objects of a class are the custom data of the users whose ids they have.
  ///
  /// - Parameters:
  ///   - user: The property with the id of the user.
  ///   - partition: The partition of the objects, where the app has partitions.
  public mutating func setCustomUserData<T: ObjectBase>(
    of type: T.Type, user: KeyPath<T, String>, partition: AnyBSON? = nil
  ) {
    customUserData = CustomUserData(
      className: type.className(), userField: ClassDeclaration.path(user),
      partition: partition.map { ExtendedJSONWriter.text($0.bson) })
  }

  /// Devices may register for a push service, and a web service of yours sends its messages:
  /// `ServerCall.push(_:to:service:)`.
  ///
  /// - Parameters:
  ///   - service: The name for clients: `app.pushClient(serviceName:)`.
  ///   - url: The address that gets signed requests with messages and tokens of devices.
  ///   - secret: The key of the signatures, of 32 bytes at least.
  public mutating func setPush(service: String, webhook url: String, secret: String) {
    push.removeAll { $0.service == service }
    push.append(PushProvider(service, Webhook(url: url, secret: Secret(secret))))
  }

  /// The file of an app with the settings.
  func file(of id: String, _ hooks: LogInHooks) -> AppFile {
    var file = AppFile(
      id: id, name: name ?? id, mode: sync == .flexible ? .flexible : .partition)
    file.stage = .production
    switch rules.kind {
    case .development: file.stage = .development
    case .partitions(let permissions): file.permissions = permissions
    case .roles(let roles): file.roles = roles
    }
    file.customUserData = customUserData
    file.push = push
    file.allowedOrigins = allowedOrigins
    var accounts = AccountSettings()
    accounts.allowsAnonymous = false
    accounts.confirmation = nil
    for kind in logIns { kind.apply(&accounts) }
    hooks.apply(&accounts)
    accounts.mail.delivery = mail.delivery
    accounts.mail.sender = mailSender
    accounts.mail.links[.confirmation] = confirmationPage
    accounts.mail.links[.passwordReset] = passwordPage
    accounts.accessMinutes = accessMinutes
    accounts.refreshDays = refreshDays
    file.accounts = accounts
    return file
  }
}

/// The functions for logins of an app.
struct LogInHooks: Hashable, Sendable {
  static let logIn = "logIn"
  static let confirm = "confirm"
  static let resetPassword = "resetPassword"

  var names: Set<String> = []

  func apply(_ settings: inout AccountSettings) {
    if names.contains(Self.logIn) { settings.loginHook = .function(Self.logIn) }
    if names.contains(Self.confirm) {
      settings.confirmation = .function
      settings.confirmationHook = .function(Self.confirm)
    }
    if names.contains(Self.resetPassword) {
      settings.resetHook = .function(Self.resetPassword)
    }
  }
}
#endif
