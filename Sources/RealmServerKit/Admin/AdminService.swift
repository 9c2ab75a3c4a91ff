// SPDX-License-Identifier: Apache-2.0

// Answers to the requests of the server's page. Documentation/Sync/OperatingAServer.md has the
// table of addresses.

#if Server
import RealmFormats
import RealmServerEngine
import RealmServerServices

/// Answers the requests of the page, as a function of values.
struct AdminService: Sendable {
  /// The most users of an answer.
  static let userCountMax = 100
  /// The longest text of a search.
  static let searchByteCountMax = 256

  let access: AdminGuard
  let status: ServerStatus
  let hub = AdminHub()
  private let reader: AdminReader
  private let page = AdminPage()

  init(_ status: ServerStatus, random: RandomBytes) {
    access = AdminGuard(random: random)
    self.status = status
    reader = AdminReader(directory: status.options.directory)
  }

  func respond(to request: AdminRequest) async -> AdminResponse {
    do throws(AdminFailure) {
      try access.check(request)
      switch request.method {
      case "GET": return try await read(request)
      case "POST": return AdminResponse(try await act(request))
      default: throw AdminFailure(405, "Only GET and POST are understood.")
      }
    } catch {
      return AdminResponse(error)
    }
  }

  // MARK: Reading

  private func read(_ request: AdminRequest) async throws(AdminFailure) -> AdminResponse {
    guard request.path.first == "api" else {
      guard var response = page.response(request.path) else { throw Self.unknown }
      if request.path.isEmpty {
        let name = AdminGuard.cookieName(request.port)
        response.headers.append(
          ("Set-Cookie", "\(name)=\(access.token); Path=/; HttpOnly; SameSite=Strict"))
      }
      return response
    }
    switch Array(request.path.dropFirst()) {
    case ["overview"]: return AdminResponse(await status.overview())
    case ["events"]:
      guard let stream = hub.subscribe() else {
        throw AdminFailure(503, "Too many pages are open, or the server ends.")
      }
      return AdminResponse(contentType: "text/event-stream", body: .events(stream))
    case let path where path.count == 3 && path[0] == "apps":
      return AdminResponse(try await read(path[2], of: app(path[1]), request))
    default: throw Self.unknown
    }
  }

  private func read(
    _ name: String, of app: ServedApp, _ request: AdminRequest
  ) async throws(AdminFailure) -> JSONValue {
    switch name {
    case "sessions": return status.sessions(of: app)
    case "realms":
      return try await reader.realms(
        ofApp: app.file.id, from: Int(clamping: number("from", request) ?? 0))
    case "users": return try await users(of: app, request)
    case "triggers": return await status.triggers(of: app)
    default: throw Self.unknown
    }
  }

  private func users(
    of app: ServedApp, _ request: AdminRequest
  ) async throws(AdminFailure) -> JSONValue {
    let search = request.parameters["search"] ?? ""
    guard search.utf8.count <= Self.searchByteCountMax else {
      throw AdminFailure(400, "The search has more than \(Self.searchByteCountMax) bytes.")
    }
    let start = try number("from", request)
    let page = try await storing { () async throws(AccountError) in
      try await app.api.accounts.page(
        AccountPage.Request(from: start, countMax: Self.userCountMax, search: search))
    }
    return page.json
  }

  private func number(
    _ name: String, _ request: AdminRequest
  ) throws(AdminFailure) -> Int64? {
    guard let text = request.parameters[name], !text.isEmpty else { return nil }
    guard let number = Int64(text), number >= 0 else {
      throw AdminFailure(400, "'\(name)' should be a number from 0 on.")
    }
    return number
  }

  private static let unknown = AdminFailure(404, "The server has no such page.")

  private func app(_ id: String) throws(AdminFailure) -> ServedApp {
    guard let app = status.apps[id] else { throw AdminFailure(404, "There is no such app.") }
    return app
  }

  // MARK: Acting

  private func act(_ request: AdminRequest) async throws(AdminFailure) -> JSONValue {
    let path = request.path
    guard path.count == 6, path[0] == "api", path[1] == "apps" else { throw Self.unknown }
    let app = try app(path[2])
    switch path[3] {
    case "users": try await act(path[5], onUser: path[4], of: app.api.accounts)
    case "triggers": try await act(path[5], onTrigger: path[4], of: app.triggers)
    default: throw Self.unknown
    }
    return ["done": true]
  }

  private func act(
    _ action: String, onTrigger name: String, of triggers: TriggerService
  ) async throws(AdminFailure) {
    guard await triggers.statuses().contains(where: { $0.name == name }) else {
      throw AdminFailure(404, "There is no such trigger.")
    }
    switch action {
    case "suspend": await triggers.suspend(name)
    case "resume": await triggers.resume(name)
    default: throw Self.unknown
    }
  }

  private func act(
    _ action: String, onUser user: String, of accounts: AccountService
  ) async throws(AdminFailure) {
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
  ) async throws(AdminFailure) -> R {
    do throws(AccountError) {
      return try await call()
    } catch .userNotFound {
      throw AdminFailure(404, "There is no such user.")
    } catch {
      throw AdminFailure(500, "The file of the users cannot be used: \(error)")
    }
  }
}
#endif
