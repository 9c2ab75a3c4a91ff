// SPDX-License-Identifier: Apache-2.0

// The errors of logins and users.

#if Server
package import RealmServerEngine
package import RealmStorage

/// A request about users could not be carried out.
package enum AccountError: Error, Hashable, Sendable {
  case nameInUse
  case invalidPassword
  case userNotFound
  /// The address is confirmed, and needs no mail for it.
  case alreadyConfirmed
  case userDisabled
  /// A mailed token is unknown, used, too old, or for something else.
  case invalidToken
  /// A token of a session is none of ours, too old, or its session was ended.
  case invalidSession
  /// The way to log in belongs to another user.
  case linkedElsewhere
  case unknownProvider(String)
  case badPassword(String)
  case badName
  /// A key or a token of another issuer is not accepted.
  case refused(String)
  /// The way to log in cannot be added to a user.
  case notLinkable
  /// The app's own code refuses a registration or a new password.
  case functionRefused(String)
  /// The app's own code could not be asked.
  case hookFailed(String)
  /// A provider of tokens does not answer.
  case providerFailed(String)
  case badParameter(String)
  case keyNotFound
  case keyNameInUse
  case tooManyKeys
  case tooManyAttempts
  /// More is asked for at a time than the server takes.
  case busy
  case mailFailed(String)
  case store(StoreError)
}

extension AccountError: ErrorAboveStorage {
  package static func storage(_ error: StorageError) -> AccountError { .store(.storage(error)) }
}

extension AccountError {
  /// Whether such an end counts as a failed attempt: not if the server is at fault.
  var isFailedAttempt: Bool {
    switch self {
    case .busy, .store, .mailFailed, .tooManyAttempts, .hookFailed, .providerFailed: false
    default: true
    }
  }
}
#endif
