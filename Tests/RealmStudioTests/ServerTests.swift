// SPDX-License-Identifier: Apache-2.0

// Studio over real sockets.

#if Tools
import Foundation
import RealmFormats
import TestExtensions
import Testing

@testable import RealmStudio

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct ServerTests {
  private static let tokenHeader = "x-realm-studio-token"

  private func status(
    _ studio: RunningStudio, _ target: String, method: String = "GET",
    headers: [String: String] = [:], body: Data? = nil
  ) async throws -> (Int, Data) {
    var request = URLRequest(url: try studio.url(target))
    request.httpMethod = method
    request.httpBody = body
    request.httpShouldHandleCookies = false
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    let (data, response) = try await URLSession.shared.data(for: request)
    return ((response as? HTTPURLResponse)?.statusCode ?? 0, data)
  }

  @Test func itListensOnThisMachineWithItsToken() async throws {
    let studio = try await RunningStudio()
    let address = try #require(URL(string: studio.address))
    expectEqual(address.host, "127.0.0.1")
    expectEqual(studio.token.count, 64)
    let token = [Self.tokenHeader: studio.token]
    try await expectEqual(status(studio, "/api/files").0, 401)
    try await expectEqual(status(studio, "/api/files", headers: token).0, 200)
    let (code, page) = try await status(studio, studio.address)
    expectEqual(code, 200)
    expectTrue(String(decoding: page, as: UTF8.self).contains("<script type=\"module\""))
    try await expectEqual(
      status(
        studio, "/api/files", headers: token.merging(["Origin": "http://evil.example"]) { $1 }
      ).0, 403)
    try await studio.end()
  }

  @Test func bodiesArriveAndLargeOnesAreRefused() async throws {
    let studio = try await RunningStudio()
    let headers = [
      Self.tokenHeader: studio.token, "Content-Type": "application/json",
    ]
    try await expectEqual(
      status(studio, "/api/files/0/begin", method: "POST", headers: headers).0, 200)
    let edit = #"{"kind":"create","class":"Dog"}"#
    let (code, data) = try await status(
      studio, "/api/files/0/edit", method: "POST", headers: headers, body: Data(edit.utf8))
    expectEqual(code, 200, "\(String(decoding: data, as: UTF8.self))")
    let large = Data(count: (1 << 20) + 100)
    try await expectEqual(
      status(
        studio, "/api/files/0/edit", method: "POST", headers: headers, body: large
      ).0, 413)
    try await studio.end()
  }

  @Test func aPortThatIsTakenIsAnErrorThatSaysWhatToDo() async throws {
    let studio = try await RunningStudio()
    let port = try #require(URL(string: studio.address)?.port)
    let other = StudioServer(
      StudioOptions(files: [StudioFile(path: studio.path)], port: port))
    let failure = await #expect(throws: StudioFailure.self) {
      try await other.run(signals: []) { _ in }
    }
    expectEqual(failure?.description.contains("--port"), true)
    try await studio.end()
  }
}
#endif
