// SPDX-License-Identifier: Apache-2.0

// Requests of deployed clients and the answers that they need, as text (P1 A).

#if Server
import Foundation
import RealmServerEngine
import RealmServerServices
import TestExtensions
import Testing

@testable import RealmServerKit

/// Plays the files in `Traces`, whose README.md says what their lines mean.
@Suite(.timeLimit(.minutes(10))) struct DeployedTraceTests {
  @Test(arguments: ["web-client-users", "realm-core-users", "documents"])
  func theAnswersAreThoseOfTheTrace(_ name: String) async throws {
    let trace = try DeployedTrace(name)
    let server = try await RunningServer(
      file: trace.app, schema: trace.schema ?? #"{"classes":[]}"#)
    var player = TracePlayer(server)
    for step in trace.steps { try await player.play(step) }
    expectTrue(player.answerCount > 10)
    try await server.stop()
  }
}

/// A trace, read.
private struct DeployedTrace {
  enum Step {
    case disable(String)
    case exchange(Exchange)
  }

  /// A request and its answer, with the lines of the file.
  struct Exchange {
    var line: Int
    var request: [String]
    var answer: [String] = []
  }

  let app: String
  let schema: String?
  private(set) var steps: [Step] = []

  init(_ name: String) throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Traces/\(name).txt")
    let lines = try String(contentsOf: file, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
    var settings: [String] = []
    var exchange: Exchange?
    for (index, line) in lines.enumerated() {
      let content = String(line.dropFirst(2))
      switch line.first {
      case "=": settings.append(content)
      case "!":
        let words = content.split(separator: " ")
        try #require(words.count == 2 && words[0] == "disable", "line \(index + 1)")
        steps.append(.disable(String(words[1])))
      case ">":
        if exchange == nil {
          exchange = Exchange(line: index + 1, request: [content])
        } else {
          exchange?.request.append(content)
        }
      case "<": exchange?.answer.append(content)
      case nil, "#":
        if let exchange { steps.append(.exchange(exchange)) }
        exchange = nil
      default: throw TraceError(line: index + 1)
      }
    }
    if let exchange { steps.append(.exchange(exchange)) }
    app = try #require(settings.first)
    schema = settings.dropFirst().first
  }
}

/// A line that means nothing.
private struct TraceError: Error {
  let line: Int
}

/// Sends the requests of a trace, and compares the answers.
private struct TracePlayer {
  private let server: RunningServer
  private var texts: [String: String] = [:]
  private(set) var answerCount = 0

  init(_ server: RunningServer) { self.server = server }

  mutating func play(_ step: DeployedTrace.Step) async throws {
    switch step {
    case .disable(let user):
      try await server.accounts.setDisabled(true, filled(user))
    case .exchange(let exchange):
      try await play(exchange)
      answerCount += 1
    }
  }

  private mutating func play(_ exchange: DeployedTrace.Exchange) async throws {
    let place = "line \(exchange.line)"
    var lines = exchange.request.map(filled)
    let first = lines.removeFirst().split(separator: " ")
    try #require(first.count == 2, "\(place)")
    var body = ""
    if let last = lines.last, last.hasPrefix("{") || last.hasPrefix("[") {
      body = lines.removeLast()
    }
    let client = try await DeployedClient(server)
    let answer = try await client.request(
      String(first[0]), String(first[1]), body: body, headers: lines)
    await client.leave()
    var expected = exchange.answer
    try #require(!expected.isEmpty, "\(place)")
    #expect(
      answer.status.hasPrefix("HTTP/1.1 \(expected.removeFirst()) "),
      "\(place): \(answer.status) \(answer.body)")
    for line in expected {
      if line.hasPrefix("{") || line.hasPrefix("[") {
        match(answer.body, line, place)
      } else if line.hasPrefix("!") {
        expectEqual(answer.values(String(line.dropFirst())), [], "\(place)")
      } else {
        let parts = line.split(separator: ":", maxSplits: 1)
        let value = answer.values(String(parts[0])).first ?? "nothing"
        match(value, String(parts[1].dropFirst()), "\(place), \(parts[0])")
      }
    }
  }

  /// A line with the texts of its names that are known.
  private func filled(_ line: String) -> String {
    texts.reduce(line) { $0.replacing("${\($1.key)}", with: $1.value) }
  }

  /// Compares a text with a line, whose unknown names get their texts from it.
  private mutating func match(_ text: String, _ line: String, _ place: String) {
    let line = filled(line)
    var (pattern, names): (String, [String?]) = ("", [])
    var rest = line[...]
    while let character = rest.first {
      if rest.hasPrefix("${"), let end = rest.firstIndex(of: "}") {
        names.append(String(rest[rest.index(rest.startIndex, offsetBy: 2)..<end]))
        pattern += "*"
        rest = rest[rest.index(after: end)...]
      } else {
        if character == "*" { names.append(nil) }
        pattern.append(character)
        rest.removeFirst()
      }
    }
    guard let parts = Pattern.parts(of: text, pattern) else {
      Issue.record("\(place): \(text) is not \(line)")
      return
    }
    for (name, part) in zip(names, parts) {
      if let name { texts[name] = part }
    }
  }
}
#endif
