// SPDX-License-Identifier: Apache-2.0

// The devices of users for push messages. They are a part of the user, and go with it.
//
// Invariants:
// 1. A device has one registration for a service, and a user few in all: the oldest one goes.
// 2. A log-out on a device ends its messages.

#if Server
import RealmFormats

/// A device of a user, registered for a service of push messages.
package struct PushDevice: Hashable, Sendable {
  /// The most registrations of a user.
  package static let countMax = 20
  package static let tokenByteCountMax = 4 << 10

  package let service: String
  /// The device of the session.
  package let device: String
  /// Its name at the service.
  package let token: String

  init(service: String, device: String, token: String) {
    self.service = service
    self.device = device
    self.token = token
  }

  init?(_ json: JSONValue) {
    guard let service = json["service"]?.string, let device = json["device"]?.string,
      let token = json["token"]?.string
    else { return nil }
    self.init(service: service, device: device, token: token)
  }

  var json: JSONValue {
    ["service": .string(service), "device": .string(device), "token": .string(token)]
  }
}

extension AccountService {
  /// Registers the device of a session, in place of an earlier registration.
  func registerPush(
    _ token: String, of access: UserAccess, for service: String
  ) async throws(AccountError) {
    guard (1...PushDevice.tokenByteCountMax).contains(token.utf8.count) else {
      throw .badParameter(
        "a registration token has 1 to \(PushDevice.tokenByteCountMax) bytes")
    }
    try await store.write { (accounts) throws(AccountError) in
      guard let device = try accounts.find(AccountSession.self, access.session)?.device else {
        throw .invalidSession
      }
      var account = try Self.enabled(access.account.id, accounts)
      account.pushDevices.removeAll {
        $0.service == service && ($0.device == device || $0.token == token)
      }
      account.pushDevices.append(PushDevice(service: service, device: device, token: token))
      if account.pushDevices.count > PushDevice.countMax { account.pushDevices.removeFirst() }
      try accounts.put(account)
    }
  }

  /// Ends the registration of the device of a session.
  func deregisterPush(of access: UserAccess, for service: String) async throws(AccountError) {
    try await store.write { (accounts) throws(AccountError) in
      guard let device = try accounts.find(AccountSession.self, access.session)?.device else {
        throw .invalidSession
      }
      try Self.removePush(of: access.account.id, accounts) {
        $0.service == service && $0.device == device
      }
    }
  }

  /// Removes registrations of a user, if there is one of that id.
  ///
  /// - Returns: Their number.
  @discardableResult
  static func removePush(
    of id: String, _ accounts: AccountTransaction, where isGone: (PushDevice) -> Bool
  ) throws(AccountError) -> Int {
    guard var account = try accounts.find(Account.self, id) else { return 0 }
    let count = account.pushDevices.count
    account.pushDevices.removeAll(where: isGone)
    guard account.pushDevices.count < count else { return 0 }
    try accounts.put(account)
    return count - account.pushDevices.count
  }

  /// The tokens of a user's devices. One who is disabled or unknown has none.
  func pushTokens(of user: String, for service: String) async throws(AccountError) -> [String] {
    guard let account = try await store.account(user), !account.isDisabled else { return [] }
    return account.pushDevices.filter { $0.service == service }.map(\.token)
  }

  /// Removes registrations without a device at the service; returns their number.
  func removePushTokens(
    _ tokens: Set<String>, of user: String, for service: String
  ) async throws(AccountError) -> Int {
    try await store.write { (accounts) throws(AccountError) in
      try Self.removePush(of: user, accounts) {
        $0.service == service && tokens.contains($0.token)
      }
    }
  }
}
#endif
