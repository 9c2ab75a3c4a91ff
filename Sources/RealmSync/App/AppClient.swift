// SPDX-License-Identifier: Apache-2.0

// The calls of an app to its server (P1 A): users, tokens, and the requests of all other calls.
//
// 1. There is one object of a user.
// 2. A user's access token is refreshed by one call at a time, whose answer all callers share.
// 3. Users are stored before the call returns.

import RealmFormats
import RealmStorage
package import RealmSyncProtocol

/// An app's users, and the calls to its server.
///
/// Thread-safe. Calls suspend and block no thread. A cancelled call throws `AppFailure.cancelled`;
/// its effects at the server stay.
package final class AppClient: Sendable {
  struct State {
    var settings: AppSettings
    var location: AppLocation?
    /// In the order in which they became the current one; the last one is current.
    var users: [AppUser] = []
    var current: String?
    var refreshes: [String: Task<Result<AppToken, AppFailure>, Never>] = [:]
    var deviceID: String?
  }

  let transport: any HTTPTransport
  /// The headers of the app for each request.
  let headers: @Sendable () -> [HTTPHeader]
  let store: UserStore?
  let state: Locked<State>
  /// Those who want to know which users there are, and which one is current.
  package let observers = ChangeObservers()

  /// The id of the app and the address of its server.
  package var settings: AppSettings { state.withLock { $0.settings } }

  /// Makes the client of an app.
  ///
  /// - Parameters:
  ///   - headers: Headers to add to each request, unless it has them.
  ///   - store: Where users are stored.
  /// - Throws: `AppFailure.storage` if the stored users cannot be read.
  package init(
    _ settings: AppSettings, transport: any HTTPTransport,
    headers: @escaping @Sendable () -> [HTTPHeader] = { [] }, store: UserStore
  ) throws(AppFailure) {
    self.transport = transport
    self.headers = headers
    self.store = store
    var state = State(settings: settings)
    let stored: (users: [UserRecord], current: String?)
    do throws(StorageError) {
      stored = try store.load()
    } catch {
      throw .storage(error.description)
    }
    state.users = stored.users.filter { $0.state != .removed }.map { AppUser($0) }
    state.current = stored.current
    state.deviceID = stored.users.lazy.compactMap(\.deviceID).first
    self.state = Locked(state)
  }

  /// Makes the client of an app whose users are forgotten with the process.
  package init(
    forgetting settings: AppSettings, transport: any HTTPTransport,
    headers: @escaping @Sendable () -> [HTTPHeader] = { [] }
  ) {
    self.transport = transport
    self.headers = headers
    store = nil
    state = Locked(State(settings: settings))
  }

  // MARK: Users

  /// All users, without removed ones.
  package var users: [AppUser] { state.withLock { $0.users } }

  /// The last user to log in or to be switched to, if still logged in.
  package var currentUser: AppUser? {
    state.withLock { state in
      state.users.first { $0.id == state.current && $0.isLoggedIn }
        ?? state.users.last { $0.isLoggedIn }
    }
  }

  /// Makes a user the current one, and stores it soon after.
  ///
  /// - Throws: `AppFailure.invalidUser` if it is not logged in, or of another app.
  package func select(_ user: AppUser) throws(AppFailure) {
    try check(user)
    state.withLock { $0.current = user.id }
    observers.notify()
    guard let store else { return }
    Task {
      // Another user may be current by then.
      try? await store.setCurrent(state.withLock { $0.current })
    }
  }

  /// Logs a user in and makes it the current one.
  package func logIn(_ credentials: LoginCredentials) async throws(AppFailure) -> AppUser {
    if credentials == .anonymous,
      let user = users.first(where: { $0.isLoggedIn && $0.record.isAnonymous })
    {
      try select(user)
      return user
    }
    let tokens = try await requestLogin(credentials, linking: nil)
    guard let refresh = tokens["refresh_token"]?.string.flatMap({ AppToken($0) }),
      let access = tokens["access_token"]?.string.flatMap({ AppToken($0) }),
      let id = tokens["user_id"]?.string, let device = tokens["device_id"]?.string
    else { throw .badAnswer("The server's answer to a login lacks tokens or the user.") }
    // The id becomes the name of a folder.
    guard SyncPaths.isUserID(id) else {
      throw .badAnswer(
        "The server's id of the user is none: it has to be 1 to 128 letters, digits, \"-\", \".\", "
          + "\"_\" and \"~\", and must not begin with a point.")
    }
    var record = users.first { $0.id == id }?.record ?? UserRecord(id: id)
    record.state = .loggedIn
    record.refreshToken = refresh
    record.accessToken = access
    record.deviceID = device.allSatisfy { $0 == "0" } ? nil : device
    try await loadProfile(&record)
    let user = adopt(record)
    try await save(user)
    return user
  }

  /// Adds another way to log in to a user.
  package func link(_ credentials: LoginCredentials, to user: AppUser) async throws(AppFailure) {
    try check(user)
    guard credentials != .anonymous else {
      throw .invalidCall("Cannot add anonymous credentials to an existing user.")
    }
    let tokens = try await requestLogin(credentials, linking: user)
    guard let access = tokens["access_token"]?.string.flatMap({ AppToken($0) }) else {
      throw .badAnswer("The server's answer lacks a token.")
    }
    user.update { $0.accessToken = access }
    var record = user.record
    try await loadProfile(&record)
    let (identities, profile) = (record.identities, record.profile)
    user.update { ($0.identities, $0.profile) = (identities, profile) }
    try await save(user)
  }

  /// Ends a user's session. A user without a way to log in again is removed.
  package func logOut(_ user: AppUser) async throws(AppFailure) {
    guard user.isLoggedIn else { return }
    let token = user.record.refreshToken
    try await end(user, user.record.isAnonymous ? .removed : .loggedOut)
    guard let token else { return }
    // The user is logged out whether the server hears of it or not.
    _ = try? await send(.delete, "auth/session", of: .base, token: token.text)
  }

  /// Forgets a user on this device.
  package func remove(_ user: AppUser) async throws(AppFailure) {
    let token = user.record.refreshToken
    let wasLoggedIn = user.isLoggedIn
    try await end(user, .removed)
    guard wasLoggedIn, let token else { return }
    _ = try? await send(.delete, "auth/session", of: .base, token: token.text)
  }

  /// Removes a user's account from the server, and the user from this device.
  package func delete(_ user: AppUser) async throws(AppFailure) {
    try check(user)
    _ = try await send(.delete, "auth/delete", of: .base, as: user)
    try await end(user, .removed)
  }

  /// Gets a new access token, with the newest custom data.
  @discardableResult
  package func refreshToken(of user: AppUser) async throws(AppFailure) -> AppToken {
    try check(user)
    let refresh = state.withLock { state in
      if let refresh = state.refreshes[user.id] { return refresh }
      let refresh = Task { await self.requestToken(of: user) }
      state.refreshes[user.id] = refresh
      return refresh
    }
    return try await refresh.value.get()
  }

  private func requestToken(of user: AppUser) async -> Result<AppToken, AppFailure> {
    defer {
      let refresh = state.withLock { $0.refreshes.removeValue(forKey: user.id) }
      assert(refresh != nil, "AppClient 2")
    }
    do throws(AppFailure) {
      guard let token = user.record.refreshToken else { throw Self.loggedOut }
      let answer: JSONValue
      do throws(AppFailure) {
        answer = try await send(.post, "auth/session", of: .base, token: token.text)
      } catch {
        if error.isForbidden { try? await end(user, .loggedOut) }
        throw error
      }
      guard let access = answer["access_token"]?.string.flatMap({ AppToken($0) }) else {
        throw .badAnswer("The server's answer lacks a token.")
      }
      user.update { $0.accessToken = access }
      try await save(user)
      return .success(access)
    } catch {
      return .failure(error)
    }
  }

  // MARK: Parts of these

  private static let loggedOut = AppFailure.invalidUser("The user is not logged in.")

  func check(_ user: AppUser) throws(AppFailure) {
    guard user.isLoggedIn, state.withLock({ $0.users.contains { $0 === user } }) else {
      throw Self.loggedOut
    }
  }

  private func requestLogin(
    _ credentials: LoginCredentials, linking user: AppUser?
  ) async throws(AppFailure) -> JSONValue {
    let (settings, id) = state.withLock { ($0.settings, $0.deviceID) }
    let body = credentials.document(settings.device, app: settings.id, id: id)
    let path = "auth/providers/\(credentials.provider)/login"
    guard let user else { return try await send(.post, path, body, of: .app) }
    return try await send(.post, path + "?link=true", body, of: .app, as: user)
  }

  private func loadProfile(_ record: inout UserRecord) async throws(AppFailure) {
    guard let token = record.accessToken else { return }
    let answer = try await send(.get, "auth/profile", of: .base, token: token.text)
    guard let identities = answer["identities"]?.array, let data = answer["data"],
      case .document(let profile)? = try? ExtendedJSONReader.value(data)
    else { throw .badAnswer("The server's answer lacks the profile of the user.") }
    record.identities = []
    for identity in identities {
      guard let id = identity["id"]?.string, let provider = identity["provider_type"]?.string
      else { throw .badAnswer("The server's answer has an identity without id or provider.") }
      record.identities.append(.init(id: id, provider: provider))
    }
    record.profile = profile
  }

  private func adopt(_ record: UserRecord) -> AppUser {
    let user = state.withLock { state in
      state.current = record.id
      if let device = record.deviceID { state.deviceID = device }
      if let index = state.users.firstIndex(where: { $0.id == record.id }) {
        let user = state.users.remove(at: index)
        state.users.append(user)
        user.replace(by: record)
        return user
      }
      let user = AppUser(record)
      state.users.append(user)
      return user
    }
    user.observers.notify()
    observers.notify()
    return user
  }

  func end(_ user: AppUser, _ end: StoredUserState) async throws(AppFailure) {
    user.update { $0.end(end) }
    let current = state.withLock { state in
      if end == .removed { state.users.removeAll { $0 === user } }
      if state.current == user.id { state.current = state.users.last { $0.isLoggedIn }?.id }
      return state.current
    }
    observers.notify()
    if end == .removed {
      try await storing(await store?.remove(user.id, current: current))
    } else {
      try await save(user)
    }
  }

  private func save(_ user: AppUser) async throws(AppFailure) {
    let current = state.withLock { $0.current }
    try await storing(await store?.save(user.record, current: current))
  }

  /// What a call of the file of users gives, with its error as one of the app.
  private func storing(
    _ call: @autoclosure () async throws(StorageError) -> Void?
  ) async throws(AppFailure) {
    do throws(StorageError) { _ = try await call() } catch { throw .storage(error.description) }
  }
}

// MARK: - Requests

extension AppClient {
  /// The beginning of a request's path.
  enum Root {
    case base, app

    func path(_ id: String) -> String {
      switch self {
      case .base: "/api/client/v2.0/"
      case .app: "/api/client/v2.0/app/\(id)/"
      }
    }
  }

  // MARK: Location

  /// Where the server is, as far as it is known.
  package var location: AppLocation {
    state.withLock { $0.location } ?? AppLocation(guessedFrom: settings.baseURL)
  }

  /// Asks for the location again.
  package func refreshLocation() async throws(AppFailure) {
    let settings = settings
    let location = try await requestLocation(settings)
    state.withLock { state in
      // The app may have moved meanwhile.
      if state.settings == settings { state.location = location }
    }
  }

  /// Lets the app use the server at another address, once that has answered.
  ///
  /// - Throws: The failure of the request for the location; the app stays where it is.
  package func move(to baseURL: String) async throws(AppFailure) {
    let settings = settings.moved(to: baseURL)
    let location = try await requestLocation(settings)
    state.withLock { ($0.settings, $0.location) = (settings, location) }
  }

  private func requestLocation(_ settings: AppSettings) async throws(AppFailure) -> AppLocation {
    let url = settings.baseURL + Root.app.path(settings.id) + "location"
    try checkAddress(settings.baseURL)
    let answer: JSONValue
    do throws(AppFailure) {
      answer = try json(
        await exchange(HTTPRequest(.get, url: url, timeout: settings.requestTimeout)))
    } catch {
      throw explained(error, settings)
    }
    let route = answer["sync_route"]?.string
    guard let host = answer["hostname"]?.string, let socketHost = answer["ws_hostname"]?.string,
      route.map({ Self.isPlainSocketURL($0) }) != false
    else { throw .badAnswer("The server's answer lacks the location of the app.") }
    let isSecure =
      host.lowercased().hasPrefix("https://")
      && [socketHost, route ?? socketHost].allSatisfy { $0.lowercased().hasPrefix("wss://") }
    guard !settings.isSecure || isSecure else {
      throw .badAnswer(
        "The server names an address without encryption for an app that uses https. Give the "
          + "server its address with --public-url, or let its proxy send X-Forwarded-Proto.")
    }
    return AppLocation(host: host, socketHost: socketHost, syncRoute: route)
  }

  /// Whether an address has neither user, query nor fragment.
  private static func isPlainSocketURL(_ text: String) -> Bool {
    guard text.hasPrefix("ws://") || text.hasPrefix("wss://") else { return false }
    return !text.contains { "@?#".contains($0) }
  }

  /// Checks an address before anything is sent to it.
  ///
  /// - Throws: `AppFailure.invalidCall` for an address without `http://` or `https://`.
  private func checkAddress(_ address: String) throws(AppFailure) {
    let schemes = ["http://", "https://"]
    if schemes.contains(where: { address.hasPrefix($0) && address != $0 }) { return }
    let place = address.firstRange(of: "://").map { String(address[$0.upperBound...]) } ?? address
    throw .invalidCall(
      "'\(address)' is no address of a server: it has to begin with http:// or https://, as "
        + "'http://\(place.isEmpty ? "127.0.0.1:9090" : place)' does.")
  }

  /// The failure of a request for the location, the first request to a server.
  private func explained(_ failure: AppFailure, _ settings: AppSettings) -> AppFailure {
    switch failure {
    case .service(let name, _, 404, let logURL):
      .service(
        name: name,
        message:
          "The server at \(settings.baseURL) has no app with the id '\(settings.id)'. Use an "
          + "id that the server names when it starts.",
        status: 404, logURL: logURL)
    default: failure
    }
  }

  // MARK: Requests

  /// Sends a request as a user. A refused token is refreshed, once.
  func send(
    _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil, of root: Root,
    as user: AppUser
  ) async throws(AppFailure) -> JSONValue {
    try check(user)
    do throws(AppFailure) {
      return try await send(method, path, body, of: root, token: user.record.accessToken?.text)
    } catch  where error.isUnauthorized {
      let token = try await refreshToken(of: user)
      return try await send(method, path, body, of: root, token: token.text)
    }
  }

  /// Sends a request with a token, or without one.
  func send(
    _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil, of root: Root,
    token: String? = nil
  ) async throws(AppFailure) -> JSONValue {
    if state.withLock({ $0.location == nil }) { try await refreshLocation() }
    var headers = [
      HTTPHeader("Content-Type", "application/json;charset=utf-8"),
      HTTPHeader("Accept", "application/json"),
    ]
    if let token { headers.append(HTTPHeader("Authorization", "Bearer " + token)) }
    let request = HTTPRequest(
      method, url: location.host + root.path(settings.id) + path, headers: headers,
      body: body.map { JSONWriter.bytes($0) } ?? [], timeout: settings.requestTimeout)
    return try json(await exchange(request))
  }

  /// Sends a request with the headers of the app.
  private func exchange(_ request: HTTPRequest) async throws(AppFailure) -> HTTPResponse {
    try await transport.send(withHeaders(request))
  }

  /// A request with the headers of the app.
  func withHeaders(_ request: HTTPRequest) -> HTTPRequest {
    var request = request
    let present = Set(request.headers.map { $0.name.lowercased() })
    request.headers += headers().filter { !present.contains($0.name.lowercased()) }
    return request
  }

  /// The document of an answer, `null` if it has none, unless it is an error (P1 A.4).
  func json(_ response: HTTPResponse) throws(AppFailure) -> JSONValue {
    let isSuccess = (200..<300).contains(response.status)
    let document = response.body.isEmpty ? JSONValue.null : try? JSONParser.parse(response.body)
    if let document {
      let (name, message) = (document["error_code"]?.string, document["error"]?.string)
      // With another content type a server says: this is no error of mine.
      if name != nil || message != nil, response[header: "Content-Type"] == "application/json" {
        throw .service(
          name: name, message: message ?? "", status: response.status,
          logURL: document["link"]?.string)
      }
    }
    guard isSuccess else { throw .status(response.status) }
    guard let document else { throw .badAnswer("The server's answer is not JSON.") }
    return document
  }
}
