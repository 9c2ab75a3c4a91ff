// SPDX-License-Identifier: Apache-2.0

// Push messages of a server in Swift.

#if Server
import Foundation
import Logging
import RealmServerKit
import RealmSwift
import RealmTestSupport
import TestExtensions
import Testing

struct KitPushTests {
  @Test func aFunctionSendsMessagesToDevices() async throws {
    let web = try await TestWebServer()
    web.answer("/push", "")
    var settings = AppSettings()
    settings.setPush(service: "apns", webhook: "http://127.0.0.1:1/", secret: "replaced")
    settings.setPush(
      service: "apns", webhook: web.address + "/push", secret: String(repeating: "k", count: 32))
    var app = AppDefinition("todos", settings: settings)
    app.function("tell") { (call, text: String) in
      try await call.push(["text": .string(text)], to: [call.user?.id ?? ""], service: "apns")
    }
    app.function("other") { call in try await call.push([:], to: [], service: "none") }
    let directory = try TemporaryDirectory()
    var logger = Logging.Logger(label: "test")
    logger.logLevel = .error
    let server = try RealmServer(
      RealmServerConfiguration(folder: directory.file("server"), port: 0), apps: [app],
      logger: logger)
    try await server.run { address in
      let configuration = AppConfiguration(
        baseURL: address, defaultRequestTimeoutMS: UInt(RunningServer.answerLimit))
      configuration.directory = directory.file("device")
      let client = App(id: "todos", configuration: configuration)
      let user = try await client.login(credentials: .anonymous)
      try await client.pushClient(serviceName: "apns").registerDevice(token: "t", user: user)
      let count = try await user.functions.tell(["hello"])
      expectEqual(count, .int64(1))
      let body = try #require(web.requests("/push").last).body
      #expect(body.contains(#""payload":{"text":"hello"}"#))
      #expect(body.contains(#""token":"t""#))
      await #expect(throws: AppError.self) {
        let none = try await user.functions.other([])
        Issue.record("\(none)")
      }
    }
  }
}
#endif
