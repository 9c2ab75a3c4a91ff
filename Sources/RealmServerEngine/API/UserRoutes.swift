// SPDX-License-Identifier: Apache-2.0

// Profiles, tokens and the end of users: the routes below `auth` without the name of an app.

import RealmFormats

/// The routes `auth/profile`, `auth/session` and `auth/delete` (P1 A.2).
struct UserRoutes {
  let app: @Sendable (_ id: String) -> APIApp?

  func respond(
    _ request: APIRequest, _ path: ArraySlice<String>
  ) async throws(APIError) -> APIResponse {
    let app = try app(of: request)
    switch (request.method, Array(path)) {
    case ("GET", ["profile"]): return try await profile(request, app)
    case ("POST", ["session"]):
      let token = try await APIError.mapping(
        await app.accounts.refresh(request.bearerToken ?? ""))
      return APIResponse(["access_token": .string(token)])
    case ("DELETE", ["session"]):
      try await APIError.mapping(await app.accounts.revoke(request.bearerToken ?? ""))
      return APIResponse(status: 204)
    case ("DELETE", ["delete"]):
      let account = try await app.account(of: request)
      try await APIError.mapping(await app.accounts.delete(account))
      return APIResponse(status: 204)
    default: throw .notFound
    }
  }

  /// The app in the token of a request. The routes check its signature.
  ///
  /// An app that is not served is not a token that is not valid: clients would log their users out,
  /// and an operator may put the app's folder back.
  private func app(of request: APIRequest) throws(APIError) -> APIApp {
    guard let token = request.bearerToken, let id = TokenIssuer.app(of: token) else {
      throw .unauthorized
    }
    guard let app = app(id) else { throw .unknownApp(id) }
    return app
  }

  private func profile(_ request: APIRequest, _ app: APIApp) async throws(APIError) -> APIResponse {
    let account = try await app.account(of: request)
    let identities = try await APIError.mapping(await app.accounts.identities(of: account))
    return APIResponse(
      [
        "user_id": .string(account.id), "domain_id": .string(app.id),
        "type": account.isServer ? "server" : "normal",
        "identities": .array(
          identities.map { identity in
            ["id": .string(identity.id), "provider_type": .string(identity.name.provider)]
          }), "data": ExtendedJSONWriter.json(.document(identities.profile)),
      ])
  }
}
