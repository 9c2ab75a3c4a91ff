// SPDX-License-Identifier: Apache-2.0

// Users: logging in, registering, profiles, tokens, and their end (P1 A.2).

#if Server
import RealmFormats

/// The routes of an app about the user of a request.
struct UserRoutes {
  let app: APIApp

  // MARK: Logged in

  /// The routes `auth/profile`, `auth/session` and `auth/delete`, whose app is that of their token.
  func respond(
    _ request: APIRequest, _ path: ArraySlice<String>
  ) async throws(APIError) -> APIResponse {
    switch (request.method, Array(path)) {
    case ("GET", ["profile"]): return try await profile(request)
    case ("POST", ["session"]):
      let refresh = try Self.token(request)
      let token = try await APIError.mapping(await app.accounts.refresh(refresh))
      return APIResponse(["access_token": .string(token)])
    case ("DELETE", ["session"]):
      let token = try Self.token(request)
      try await APIError.mapping(await app.accounts.revoke(token))
      return .noContent
    case ("DELETE", ["delete"]):
      let account = try await app.account(of: request)
      try await APIError.mapping(await app.accounts.delete(account))
      return .noContent
    default: throw .notFound
    }
  }

  private static func token(_ request: APIRequest) throws(APIError) -> String {
    guard let token = request.bearerToken else { throw .noToken }
    return token
  }

  private func profile(_ request: APIRequest) async throws(APIError) -> APIResponse {
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

  // MARK: Logging in

  /// The routes `app/<id>/auth/providers/<provider>/…`.
  func respond(
    _ request: APIRequest, of provider: String, _ path: ArraySlice<String>
  ) async throws(APIError) -> APIResponse {
    guard app.accounts.accepts(provider) else { throw APIError(.unknownProvider(provider)) }
    switch (provider, Array(path)) {
    case (AccountService.anonymousProvider, ["login"]):
      guard request.parameter("link") != "true" else {
        throw APIError(400, "BadRequest", "anonymous users cannot be linked")
      }
      let body = try APIBody(request)
      try app.countAnonymousLogin(request.origin)
      return Self.response(
        try await APIError.mapping(await app.accounts.logInAnonymously(device: body.device)))
    case (AccountService.passwordProvider, ["login"]): return try await logIn(request)
    case (AccountService.keyProvider, ["login"]):
      let text = try APIBody(request).text("key")
      return try await logIn(request) { (accounts) throws(AccountError) in
        try await accounts.prove(key: text)
      }
    case (AccountService.functionProvider, ["login"]):
      let document = try APIBody(request).document(without: "options")
      try app.countRegistration(request.origin)
      return try await logIn(request) { (accounts) throws(AccountError) in
        try await accounts.prove(document: document)
      }
    case (AccountService.facebookProvider, ["login"]):
      let token = try APIBody(request).text("accessToken")
      return try await logIn(request) { (accounts) throws(AccountError) in
        try await accounts.prove(facebookToken: token)
      }
    case (AccountService.googleProvider, ["login"]) where try APIBody(request).has("authCode"):
      let code = try APIBody(request).text("authCode")
      guard app.accounts.exchangesCodes else {
        throw APIError(
          400, "BadRequest",
          "the app exchanges no codes of Google: log in with an ID token, "
            + "Credentials.googleId(token:)")
      }
      return try await logIn(request) { (accounts) throws(AccountError) in
        try await accounts.prove(googleCode: code)
      }
    case (AccountService.tokenProvider, ["login"]), (AccountService.appleProvider, ["login"]),
      (AccountService.googleProvider, ["login"]):
      let token = try APIBody(request).text(
        provider == AccountService.tokenProvider ? "token" : "id_token")
      return try await logIn(request) { (accounts) throws(AccountError) in
        try await accounts.prove(token: token, of: provider)
      }
    case (AccountService.passwordProvider, let rest): return try await manage(request, rest)
    default: throw APIError(.unknownProvider(provider))
    }
  }

  private static func response(_ login: LoginResult) -> APIResponse {
    APIResponse(
      [
        "access_token": .string(login.accessToken), "refresh_token": .string(login.refreshToken),
        "user_id": .string(login.account), "device_id": .string(login.device),
      ])
  }

  /// The user to whom a way to log in is added; nil in a login.
  private func linked(_ request: APIRequest) async throws(APIError) -> UserAccess? {
    guard request.parameter("link") == "true" else { return nil }
    return try await app.access(of: request)
  }

  /// Logs in with a proof, or adds its identity to the user of the request.
  private func logIn(
    _ request: APIRequest,
    _ prove: @Sendable (AccountService) async throws(AccountError) -> LoginProof
  ) async throws(APIError) -> APIResponse {
    let access = try await linked(request)
    let proof = try await app.limited(request.origin, await prove(app.accounts))
    return Self.response(
      try await app.logIn(proof, linkedTo: access, device: try APIBody(request).device))
  }

  private func logIn(_ request: APIRequest) async throws(APIError) -> APIResponse {
    let body = try APIBody(request)
    let (address, password) = (try body.text("username"), try body.text("password"))
    let access = try await linked(request)
    return Self.response(
      try await app.limited(
        request.origin, as: address,
        await app.accounts.logIn(
          address, password, linkedTo: access, device: body.device,
          for: request.origin.turnKey)))
  }

  private func manage(
    _ request: APIRequest, _ path: [String]
  ) async throws(APIError) -> APIResponse {
    let body = try APIBody(request)
    let accounts = app.accounts
    switch path {
    case ["register"]:
      let (address, password) = (try body.text("email"), try body.text("password"))
      try app.countRegistration(request.origin)
      try await APIError.mapping(
        await accounts.register(address, password, for: request.origin.turnKey))
      return APIResponse(.object([]), status: 201)
    case ["confirm"]:
      let (token, id) = (try body.text("token"), try body.text("tokenId"))
      try await app.limited(request.origin, await accounts.confirm(token: token, id: id))
    case ["confirm", "send"]:
      let address = try body.text("email")
      try app.countRegistration(request.origin)
      try await APIError.mapping(await accounts.sendConfirmation(address))
    case ["reset", "send"]:
      let address = try body.text("email")
      try app.countRegistration(request.origin)
      try await APIError.mapping(await accounts.sendReset(address))
    case ["reset"]:
      let (token, id) = (try body.text("token"), try body.text("tokenId"))
      let password = try body.text("password")
      let ends = body.json["endOtherLogins"]?.bool == true
      return APIResponse(
        (try await app.limited(
          request.origin,
          await accounts.reset(
            to: password, token: token, id: id, endingOthers: ends,
            for: request.origin.turnKey))).json)
    case ["confirm", "call"]:
      let address = try body.text("email")
      try app.countRegistration(request.origin)
      try await APIError.mapping(await accounts.repeatConfirmation(address))
    case ["reset", "call"]:
      let (address, password) = (try body.text("email"), try body.text("password"))
      let arguments = try body.arguments()
      try app.countRegistration(request.origin)
      try await app.limited(
        request.origin,
        await accounts.reset(
          address, to: password, arguments, for: request.origin.turnKey))
    default: throw .notFound
    }
    return APIResponse(.object([]))
  }
}
#endif
