// SPDX-License-Identifier: Apache-2.0

// The API keys of users (P1 A.2).

#if Server
import RealmFormats

/// The routes `auth/api_keys/…`, whose app is that of their token, and `app/<id>/auth/api_keys/…`.
struct KeyRoutes {
  let app: APIApp

  func respond(
    _ request: APIRequest, _ path: ArraySlice<String>
  ) async throws(APIError) -> APIResponse {
    let accounts = app.accounts
    guard let token = request.bearerToken else { throw .noToken }
    let access = try await APIError.mapping(await accounts.access(refreshToken: token))
    let account = access.account
    if access.isByKey, ["POST", "PUT"].contains(request.method) {
      throw APIError(
        AccountError.badParameter(
          "a session that an API key has begun makes and enables no keys: log in another way"))
    }
    switch (request.method, Array(path)) {
    case ("POST", []):
      let name = try APIBody(request).text("name")
      let made = try await APIError.mapping(await accounts.makeKey(named: name, for: account))
      return APIResponse(Self.json(made.key, text: made.text), status: 201)
    case ("GET", []):
      let keys = try await APIError.mapping(await accounts.keys(of: account))
      return APIResponse(.array(keys.map { Self.json($0) }))
    case ("GET", let id) where id.count == 1:
      return APIResponse(
        Self.json(try await APIError.mapping(await accounts.key(id[0], of: account))))
    case ("DELETE", let id) where id.count == 1:
      try await APIError.mapping(await accounts.removeKey(id[0], of: account))
      return .noContent
    case ("PUT", let id) where id.count == 2 && ["enable", "disable"].contains(id[1]):
      try await APIError.mapping(
        await accounts.setKeyDisabled(id[1] == "disable", id[0], of: account))
      return .noContent
    default: throw .notFound
    }
  }

  /// - Parameter text: The text of a new key.
  private static func json(_ key: APIKey, text: String? = nil) -> JSONValue {
    var members = [
      JSONMember("_id", .string(key.id)), JSONMember("name", .string(key.name)),
      JSONMember("disabled", .bool(key.isDisabled)),
    ]
    if let text { members.insert(JSONMember("key", .string(text)), at: 1) }
    return .object(members)
  }
}
#endif
