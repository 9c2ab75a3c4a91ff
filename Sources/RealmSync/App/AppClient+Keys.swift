// SPDX-License-Identifier: Apache-2.0

// The API keys of users (P1 A.2), whose calls have the refresh token.

import RealmFormats
package import RealmSyncProtocol

extension AppClient {
  /// Makes a key of a user. Its text is in this answer alone.
  package func makeKey(named name: String, of user: AppUser) async throws(AppFailure) -> UserKey {
    try key(await sendKeys(.post, "", ["name": .string(name)], as: user))
  }

  /// The key of an id.
  package func key(_ id: String, of user: AppUser) async throws(AppFailure) -> UserKey {
    try key(await sendKeys(.get, "/" + id, as: user))
  }

  /// All keys of a user.
  package func keys(of user: AppUser) async throws(AppFailure) -> [UserKey] {
    guard let values = try await sendKeys(.get, "", as: user).array else { throw Self.noKey }
    var keys: [UserKey] = []
    for value in values { keys.append(try key(value)) }
    return keys
  }

  /// Removes a key.
  package func removeKey(_ id: String, of user: AppUser) async throws(AppFailure) {
    _ = try await sendKeys(.delete, "/" + id, as: user)
  }

  /// Enables or disables a key.
  package func setKeyDisabled(
    _ isDisabled: Bool, _ id: String, of user: AppUser
  ) async throws(AppFailure) {
    _ = try await sendKeys(.put, "/\(id)/" + (isDisabled ? "disable" : "enable"), as: user)
  }

  private static let noKey = AppFailure.badAnswer(
    "The server's answer lacks the id, the name or the state of an API key.")

  private func key(_ json: JSONValue) throws(AppFailure) -> UserKey {
    guard let id = json["_id"]?.string, let name = json["name"]?.string,
      let isDisabled = json["disabled"]?.bool
    else { throw Self.noKey }
    return UserKey(id: id, name: name, key: json["key"]?.string, isDisabled: isDisabled)
  }

  private func sendKeys(
    _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil, as user: AppUser
  ) async throws(AppFailure) -> JSONValue {
    try check(user)
    do throws(AppFailure) {
      return try await send(
        method, "auth/api_keys" + path, body, of: .app, token: user.record.refreshToken?.text)
    } catch {
      // No other token would be accepted.
      if error.isUnauthorized { try? await end(user, .loggedOut) }
      throw error
    }
  }
}

/// An API key of a user.
package struct UserKey: Hashable, Sendable {
  /// 24 hexadecimal digits.
  package var id: String
  package var name: String
  /// The text with which programs log in; nil unless the key was just made.
  package var key: String?
  package var isDisabled: Bool
}
