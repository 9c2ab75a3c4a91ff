// SPDX-License-Identifier: Apache-2.0

// Starts the program `realm-second-process` and talks to it.

import Foundation
import RealmSwift

/// The same model as in the other process.
class SharedCounter: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var value: Int
  /// Always equal to `value` outside of transactions.
  @Persisted var twin: Int
  @Persisted var text: String

  // The process of the tests has the class twice: the program is linked into it.
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A running second process; killed with the last reference, if it still runs.
final class OtherProcess: Sendable {
  struct Silence: Error {
    let question: String
  }

  private let process = Process()
  private let questions = Pipe()
  private let answers = Pipe()
  // Touched on `queue` only, where blocking is harmless.
  private nonisolated(unsafe) var unread = Data()
  private let queue = DispatchQueue(label: "second process")

  init() throws {
    process.executableURL = Self.program
    process.standardInput = questions
    process.standardOutput = answers
    try process.run()
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
  }

  /// The program, which is built where the tests are.
  private static var program: URL {
    #if canImport(Darwin)
    let tests = Bundle(for: OtherProcess.self).bundleURL
    #else
    let tests = URL(fileURLWithPath: CommandLine.arguments[0])
    #endif
    return tests.deletingLastPathComponent().appendingPathComponent("realm-second-process")
  }

  /// Sends a command to the process; returns its answer.
  @discardableResult
  func ask(_ question: String) async throws -> String {
    try await onQueue {
      self.questions.fileHandleForWriting.write(Data("\(question)\n".utf8))
      guard let answer = self.readLine() else { throw Silence(question: question) }
      return answer
    }
  }

  /// Kills the process at once, wherever it is, and waits until the system has cleaned up.
  func killNow() async throws {
    try await onQueue {
      kill(self.process.processIdentifier, SIGKILL)
      self.process.waitUntilExit()
    }
  }

  private func onQueue<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Swift.Result(catching: body)) }
    }
  }

  private func readLine() -> String? {
    while true {
      if let end = unread.firstIndex(of: 10) {
        defer { unread = Data(unread[(end + 1)...]) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      let more = answers.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      unread += more
    }
  }
}
