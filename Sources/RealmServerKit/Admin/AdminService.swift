// SPDX-License-Identifier: Apache-2.0

// Answers to the requests of the server's page. Documentation/Sync/OperatingAServer.md has the
// table of addresses.

#if Server
import RealmFormats
import RealmPages
import RealmServerEngine
import RealmServerServices

/// Answers the requests of the page, as a function of values.
struct AdminService: PageService {
  /// The most users of an answer.
  static let userCountMax = 100
  /// The longest text of a search.
  static let searchByteCountMax = 256

  let access: PageGuard
  /// Rules and objects are texts of some length.
  let bodyByteCountMax = 1 << 18
  let status: ServerStatus
  let hub = AdminHub()
  private let reader: AdminReader
  private let page = PageFiles(pageTexts)

  init(_ status: ServerStatus, random: inout some RandomNumberGenerator) {
    access = PageGuard(name: "admin", command: "realm-server admin", random: &random)
    self.status = status
    reader = AdminReader(directory: status.options.directory)
  }

  func refuse(_ request: PageRequest, _ failure: PageFailure) -> PageResponse {
    PageResponse(failure)
  }

  func answer(_ request: PageRequest) async -> PageResponse {
    do throws(PageFailure) {
      switch request.method {
      case "GET": return try await read(request)
      case "POST": return PageResponse(try await act(request))
      default: throw PageFailure(405, "Only GET and POST are understood.")
      }
    } catch {
      return PageResponse(error)
    }
  }

  // MARK: Reading

  private func read(_ request: PageRequest) async throws(PageFailure) -> PageResponse {
    guard request.path.first == "api" else {
      guard var response = page.response(request.path) else { throw Self.unknown }
      if request.path.isEmpty { response.headers.append(access.cookie(request.port)) }
      return response
    }
    switch Array(request.path.dropFirst()) {
    case ["overview"]: return PageResponse(await status.overview())
    case ["events"]:
      guard let stream = hub.subscribe() else {
        throw PageFailure(503, "Too many pages are open, or the server ends.")
      }
      return PageResponse(contentType: "text/event-stream", body: .events(stream))
    case let path where path.count == 3 && path[0] == "apps":
      return PageResponse(try await read(path[2], of: app(path[1]), request))
    default: throw Self.unknown
    }
  }

  private func read(
    _ name: String, of app: ServedApp, _ request: PageRequest
  ) async throws(PageFailure) -> JSONValue {
    switch name {
    case "sessions": return status.sessions(of: app)
    case "realms":
      return try await reader.realms(
        ofApp: app.file.id, from: Int(clamping: number("from", request) ?? 0))
    case "users": return try await users(of: app, request)
    case "triggers": return await status.triggers(of: app)
    case "functions": return .array(app.functions.statuses().map(\.json))
    case "rules":
      return try await AdminRules(app: app, reader: reader, options: status.options).read()
    case "classes": return AdminData.classes(of: app)
    case "objects":
      return try await AdminData(app, reader, status.options).objects(try objects(request))
    default: throw Self.unknown
    }
  }

  /// The objects that a request asks for.
  private func objects(_ request: PageRequest) throws(PageFailure) -> AdminData.Request {
    guard let name = request.parameters["class"], !name.isEmpty else {
      throw PageFailure(400, "'class' should be the name of a class.")
    }
    let text = request.parameters["filter"] ?? ""
    guard text.utf8.count <= AdminData.filterByteCountMax else {
      throw PageFailure(400, "The filter has more than \(AdminData.filterByteCountMax) bytes.")
    }
    var filter = BSONValue.document([])
    if !text.allSatisfy(\.isWhitespace) {
      guard let value = try? ExtendedJSONReader.parse(text), case .document = value else {
        throw PageFailure(400, "The filter is no JSON object, like {\"isDone\": false}.")
      }
      filter = value
    }
    let user = request.parameters["user"].flatMap { $0.isEmpty ? nil : $0 }
    return AdminData.Request(
      className: name, filter: filter, user: user, start: try number("from", request) ?? 0)
  }

  private func users(
    of app: ServedApp, _ request: PageRequest
  ) async throws(PageFailure) -> JSONValue {
    let search = request.parameters["search"] ?? ""
    guard search.utf8.count <= Self.searchByteCountMax else {
      throw PageFailure(400, "The search has more than \(Self.searchByteCountMax) bytes.")
    }
    let start = try number("from", request)
    let page = try await storing { () async throws(AccountError) in
      try await app.api.accounts.page(
        AccountPage.Request(from: start, countMax: Self.userCountMax, search: search))
    }
    return page.json
  }

  private func number(
    _ name: String, _ request: PageRequest
  ) throws(PageFailure) -> Int64? {
    guard let text = request.parameters[name], !text.isEmpty else { return nil }
    guard let number = Int64(text), number >= 0 else {
      throw PageFailure(400, "'\(name)' should be a number from 0 on.")
    }
    return number
  }

  private static let unknown = PageFailure(404, "The server has no such page.")

  private func app(_ id: String) throws(PageFailure) -> ServedApp {
    guard let app = status.apps[id] else { throw PageFailure(404, "There is no such app.") }
    return app
  }

  // MARK: Acting

  private func act(_ request: PageRequest) async throws(PageFailure) -> JSONValue {
    let path = request.path
    guard path.count >= 4, path[0] == "api", path[1] == "apps" else { throw Self.unknown }
    let app = try app(path[2])
    switch (path[3], path.count) {
    case ("users", 4): return try await makeUser(request, in: app)
    case ("rules", 5) where path[4] == "check":
      return try await AdminRules(app: app, reader: reader, options: status.options)
        .check(AdminRules.Request(request.body))
    case ("objects", 5): return try await edit(path[4], request, in: app)
    case ("users", 6) where path[5] == "password":
      return try await setPassword(request, ofUser: path[4], in: app)
    case ("users", 6): try await act(path[5], onUser: path[4], of: app.api.accounts)
    case ("triggers", 6): try await act(path[5], onTrigger: path[4], of: app.triggers)
    default: throw Self.unknown
    }
    return ["done": true]
  }

  /// Changes an object, if the operator has allowed the page to.
  private func edit(
    _ action: String, _ request: PageRequest, in app: ServedApp
  ) async throws(PageFailure) -> JSONValue {
    guard status.options.allowsEdits else {
      throw PageFailure(
        403, "The page changes objects only of a server that was started with --admin-edits.")
    }
    let edit = try AdminEdit(action, request.body)
    return try await AdminData(app, reader, status.options).carryOut(edit)
  }

  /// Gives a user the password of a request.
  private func setPassword(
    _ request: PageRequest, ofUser user: String, in app: ServedApp
  ) async throws(PageFailure) -> JSONValue {
    guard let password = (try? JSONParser.parse(request.body))?["password"]?.string else {
      throw PageFailure(400, "A user needs a \"password\".")
    }
    let outcome: PasswordReset?
    do throws(AccountError) {
      outcome = try await app.api.accounts.setPassword(password, ofUser: user)
    } catch {
      throw Self.failure(error, in: app)
    }
    guard let outcome else {
      throw PageFailure(400, NewPassword.unused(user))
    }
    return outcome.json
  }

  private static func failure(_ error: AccountError, in app: ServedApp) -> PageFailure {
    switch error {
    case .userNotFound: return PageFailure(404, "There is no such user.")
    case .store(let cause):
      return PageFailure(500, "The file of the users cannot be used: \(cause)")
    default:
      let needsAddress = app.file.accounts.confirmation == .mail
      return PageFailure(
        400, NewUser.refusal(error, in: app.file.id, needsAddress: needsAddress))
    }
  }

  /// Makes a user with the address and the password of a request.
  private func makeUser(
    _ request: PageRequest, in app: ServedApp
  ) async throws(PageFailure) -> JSONValue {
    guard let json = try? JSONParser.parse(request.body), let email = json["email"]?.string,
      let password = json["password"]?.string
    else { throw PageFailure(400, "A user needs an \"email\" and a \"password\".") }
    do throws(AccountError) {
      let accounts = app.api.accounts
      let user = try await accounts.newUser(email, password: password, customData: nil)
      try await accounts.create(user)
      return ["done": true, "user": .string(user.id)]
    } catch {
      throw Self.failure(error, in: app)
    }
  }

  private func act(
    _ action: String, onTrigger name: String, of triggers: TriggerService
  ) async throws(PageFailure) {
    guard await triggers.statuses().contains(where: { $0.name == name }) else {
      throw PageFailure(404, "There is no such trigger.")
    }
    switch action {
    case "suspend": await triggers.suspend(name)
    case "resume": await triggers.resume(name)
    default: throw Self.unknown
    }
  }

  private func act(
    _ action: String, onUser user: String, of accounts: AccountService
  ) async throws(PageFailure) {
    switch action {
    case "disable", "enable":
      let isDisabled = action == "disable"
      try await storing { () async throws(AccountError) in
        try await accounts.setDisabled(isDisabled, user)
      }
    case "delete":
      try await storing { () async throws(AccountError) in try await accounts.delete(user: user) }
    case "logout":
      try await storing { () async throws(AccountError) in
        try await accounts.endSessions(ofUser: user)
      }
    default: throw Self.unknown
    }
  }

  private func storing<R>(
    _ call: () async throws(AccountError) -> R
  ) async throws(PageFailure) -> R {
    do throws(AccountError) {
      return try await call()
    } catch .userNotFound {
      throw PageFailure(404, "There is no such user.")
    } catch {
      throw PageFailure(500, "The file of the users cannot be used: \(error)")
    }
  }
}
#endif
