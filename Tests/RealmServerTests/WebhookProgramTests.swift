// SPDX-License-Identifier: Apache-2.0

// The programs of Documentation/Sync/HTTP.md in other languages, each against a server.

#if Server
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import RealmServerEngine
import RealmSwift
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServer
@testable import RealmServerKit

@Suite(.timeLimit(.minutes(10))) struct WebhookProgramTests {
  /// The language of a program.
  enum Language: String, CaseIterable {
    case python3, node

    /// Where the system has it; nil if it has not.
    var path: String? {
      (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { "\($0)/\(rawValue)" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    var program: String { self == .python3 ? "webhook.py" : "webhook.mjs" }
  }

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Examples/Webhooks").path

  private static let installed = Language.allCases.filter { $0.path != nil }

  /// The lines that a program has printed to a file, as soon as there are so many.
  private static func lines(_ count: Int, of path: String) async throws -> [Substring] {
    for _ in 0..<6_000 {
      let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      if lines.count >= count { return Array(lines) }
      try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("the program has not printed \(count) lines")
    return []
  }

  private static func post(
    _ address: String, _ body: String, signature: String?
  ) async throws -> Int {
    var request = HTTPClientRequest(url: address)
    request.method = .POST
    request.body = .bytes(ByteBuffer(string: body))
    if let signature { request.headers.add(name: "Realm-Signature", value: signature) }
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
    return Int(response.status.code)
  }

  @Test(arguments: installed) func aWebhookAnswersTheServerAlone(_ language: Language) async throws
  {
    let place = try TemporaryDirectory()
    let secret = String(repeating: "w", count: 40)
    try Data((secret + "\n").utf8).write(to: URL(fileURLWithPath: place.file("hook.secret")))
    let program = try SpawnedProgram(
      try #require(language.path),
      ["\(Self.folder)/\(language.program)", "0", place.file("hook.secret")],
      output: .file(place.file("printed")))
    defer { program.kill() }
    let first = try await Self.lines(1, of: place.file("printed")).first
    let port = try #require(first?.split(separator: " ").last)
    let address = "http://127.0.0.1:\(port)"
    let server = try await RunningServer(
      mode: .flexible,
      file: """
        {"id":"todos","mode":"development","sync":"flexible","providers":{"anon-user":{}},
         "functions":[{"name":"sum","webhook":"\(address)/sum","secret":"\(secret)"},
                      {"name":"missing","webhook":"\(address)/missing","secret":"\(secret)"},
                      {"name":"welcome","private":true,"webhook":"\(address)/welcome",
                       "secret":"\(secret)"}],
         "triggers":[{"name":"newTodo","type":"database","collection":"Todo",
                      "operation_types":["insert"],"function":"welcome"}]}
        """)
    let device = try await AppDevice(server, "ann")
    try await expectEqual(device.user.functions.sum([1, 2, 39]), 42)
    do {
      _ = try await device.user.functions.missing([])
      Issue.record("a function that is missing has a result")
    } catch let error as AppError {
      expectTrue(error.localizedDescription.contains("no such function"), "\(error)")
    }
    // The trigger's call is answered with null, and prints the name.
    let collection = device.user.mongoClient("mongodb-atlas").database(named: "app").collection(
      withName: "Todo")
    _ = try await collection.insertOne([
      "_id": .objectId(ObjectId.generate()), "name": "Water the plants", "owner": "ann",
      "status": "Open",
    ])
    try await expectEqual(
      Self.lines(2, of: place.file("printed")).last, "new: Water the plants")
    // Nobody else gets an answer: no signature, another secret, an old one.
    let body = #"{"arguments":[1]}"#
    let now = Int(Date().timeIntervalSince1970)
    func signed(_ time: Int, by key: String) -> String {
      let digits = ServerCryptography().signature(
        of: Array("\(time).\(body)".utf8), key: Array(key.utf8))
      return "t=\(time),v1=" + digits.map { String(format: "%02x", $0) }.joined()
    }
    for (signature, status) in [
      (nil, 401), ("t=\(now),v1=00", 401), (signed(now, by: String(secret.reversed()) + "x"), 401),
      (signed(now - 600, by: secret), 401), (signed(now, by: secret), 200),
    ] as [(String?, Int)] {
      try await expectEqual(
        Self.post("\(address)/sum", body, signature: signature), status, "\(signature ?? "none")")
    }
    try await server.stop()
  }

  @Test(.enabled(if: Language.python3.path != nil, "There is no Python"))
  func aClientOfPythonReadsAndWrites() async throws {
    let server = try await RunningServer(
      mode: .flexible,
      file: """
        {"id":"todos","mode":"development","sync":"flexible","providers":{"api-key":{}}}
        """,
      schema: """
        {"classes":[{"name":"Todo","kind":"topLevel","primaryKey":"_id","properties":[
          {"name":"_id","type":"objectId"},{"name":"name","type":"string"},
          {"name":"isDone","type":"bool"},{"name":"owner","type":"string"}]}]}
        """)
    let key = try await KeysCommand.answer(
      server.directory.path + "/data", nil, .create("importer"))
    let client = try #require(Language.python3.path)
    func run(_ name: String, key: String) throws -> SpawnedProgram.Run {
      try SpawnedProgram.run(
        client, ["\(Self.folder)/client.py", server.address, "todos", key, name])
    }
    let first = try run("Water the plants", key: key)
    expectEqual(first.output, "Water the plants\n", "\(first.errors)")
    let second = try run("Feed the cat", key: key)
    expectEqual(second.output, "Feed the cat\nWater the plants\n", "\(second.errors)")
    let refused = try run("x", key: "no key")
    expectEqual(refused.status, 1)
    expectTrue(refused.errors.contains(": "), "\(refused.errors)")
    try await server.stop()
  }
}
#endif
