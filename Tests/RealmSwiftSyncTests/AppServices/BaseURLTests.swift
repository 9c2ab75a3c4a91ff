// SPDX-License-Identifier: Apache-2.0

// Apps that move to another address of their server.

#if Sync
import Foundation
import RealmFormats
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

struct BaseURLTests {
  /// Names the address at which it is asked as that of the server, and notes those of sockets.
  private final class Addresses: HTTPTransport, SyncSocketProvider {
    let server: MemoryAppServer
    let sockets = Locked<[String]>([])

    init(_ server: MemoryAppServer) { self.server = server }

    private static func host(_ url: String) -> String { URL(string: url)?.host ?? "" }

    func send(_ request: HTTPRequest) async throws(AppFailure) -> HTTPResponse {
      let host = Self.host(request.url)
      if host == "gone" { throw .transport("nobody answers") }
      guard request.url.hasSuffix("/location") else { return try await server.send(request) }
      let scheme = request.url.hasPrefix("https") ? "s" : ""
      let answer =
        #"{"hostname":"http\#(scheme)://\#(host)","ws_hostname":"ws\#(scheme)://\#(host)"}"#
      return HTTPResponse(
        status: 200, headers: [HTTPHeader("Content-Type", "application/json")],
        body: Array(answer.utf8))
    }

    func open(_ endpoint: SyncEndpoint) async throws(SocketClosed) -> any MessageSocket {
      sockets.withLock { $0.append(Self.host(endpoint.url)) }
      return try await server.open(endpoint)
    }
  }

  private let directory: TemporaryDirectory
  private let addresses: Addresses

  init() throws {
    directory = try TemporaryDirectory()
    addresses = Addresses(
      MemoryAppServer(
        app: "moving-\(UUID().uuidString.lowercased())", mode: .flexible,
        directory: directory.path + "/server"))
  }

  private func app(_ address: String) -> App {
    let configuration = AppConfiguration(baseURL: address)
    configuration.requests = addresses
    configuration.socketProvider = addresses
    configuration.directory = directory.path + "/client"
    return App(id: addresses.server.id, configuration: configuration)
  }

  /// `AppCore` 1 and 2.
  @Test @MainActor func sessionsGoOnAtTheOtherAddress() async throws {
    let app = app("http://first")
    let user = try await app.login(credentials: .anonymous)
    var configuration = user.flexibleSyncConfiguration(initialSubscriptions: {
      $0.append(QuerySubscription<Todo>())
    })
    configuration.objectTypes = [Todo.self]
    let realm = try await Realm(
      configuration: configuration, actor: MainActor.shared, downloadBeforeOpen: .always)
    expectEqual(addresses.sockets.withLock { $0 }, ["first"])
    expectEqual(app.baseURL, "http://first")
    try await app.updateBaseUrl(to: "http://second/")
    expectEqual(app.baseURL, "http://second")
    expectEqual(app.configuration.baseURL, "http://first")
    try realm.write { realm.add(Todo(value: ["name": "a"])) }
    try await realm.syncSession?.wait(for: .upload)
    expectEqual(addresses.sockets.withLock { $0.last }, "second")
    // Both addresses name the app.
    expectTrue(self.app("http://second") == app)
    expectTrue(self.app("http://first") == app)
    // There is one value of the user, however the program comes to it.
    expectTrue(app.currentUser === user)
    expectTrue(self.app("http://second").currentUser === user)
    expectTrue(realm.configuration.syncConfiguration?.user === user)
  }

  @Test func anAppStaysWhereItIsIfNobodyAnswers() async throws {
    let app = app("http://first")
    try await app.login(credentials: .anonymous)
    await #expect(throws: AppError.self) { try await app.updateBaseUrl(to: "http://gone") }
    do {
      try await app.updateBaseUrl(to: "second:1")
    } catch AppError.invalidParameter {
      // As it must be.
    }
    expectEqual(app.baseURL, "http://first")
    let error: (any Error)? = await withCheckedContinuation { continuation in
      app.updateBaseUrl(to: nil) { continuation.resume(returning: $0) }
    }
    expectTrue(error == nil)
    expectEqual(app.baseURL, "https://services.cloud.mongodb.com")
    let result: Result<Void, any Error> = await withCheckedContinuation { continuation in
      app.updateBaseUrl(to: nil) { (result: Result<Void, any Error>) in
        continuation.resume(returning: result)
      }
    }
    #expect(throws: Never.self) { try result.get() }
  }
}
#endif
