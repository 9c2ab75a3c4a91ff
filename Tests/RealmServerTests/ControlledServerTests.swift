// SPDX-License-Identifier: Apache-2.0

// A server that a storm or a test controls over its standard input.

#if Server
import Foundation
import RealmNetworking
import RealmSync
import RealmSyncProtocol
import RealmTestSupport
import Testing

@Suite(.enabled(if: ServerProcess.isBuilt, "the program was not built with the tests"))
struct ControlledServerTests {
  /// A token ends by the clock of the server, which a line sets. The server ends with the program
  /// at the other end of its standard input, as with a storm that is killed.
  @Test func aServerFollowsItsStandardInput() async throws {
    let directory = try TemporaryDirectory()
    let output = directory.path + "/output.txt"
    let server = try SpawnedProgram(
      URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appendingPathComponent("realm-server").path,
      [
        "serve", "--dir", directory.path + "/data", "--app-id", "todos", "--listen",
        "127.0.0.1:0", "--controlled=0",
      ],
      input: .pipe, output: .file(output), errors: .file(directory.path + "/errors.txt"))
    defer { server.kill() }
    var text = ""
    for _ in 0..<6_000 where !text.contains("\"))") {
      try await Task.sleep(for: .milliseconds(10))
      text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
    }
    let start = try #require(text.firstRange(of: "http")?.lowerBound, "\(text)")
    let client = AppClient(
      forgetting: AppSettings(
        id: "todos", baseURL: String(text[start...].prefix { $0 != "\"" }),
        requestTimeout: RunningServer.answerLimit),
      transport: ClientTransport.shared)
    let user = try await client.logIn(.anonymous)
    try await client.refreshToken(of: user)
    let input = try #require(server.input)
    try input.write(contentsOf: Data("clock -31536000\nclock 31536000\n".utf8))
    await #expect(throws: AppFailure.self) {
      for _ in 0..<3_000 {
        try await client.refreshToken(of: user)
        try await Task.sleep(for: .milliseconds(10))
      }
    }
    #expect(!user.isLoggedIn)
    try input.close()
    for _ in 0..<6_000 where server.isRunning { try await Task.sleep(for: .milliseconds(10)) }
    #expect(!server.isRunning)
  }
}
#endif
