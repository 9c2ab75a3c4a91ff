// SPDX-License-Identifier: Apache-2.0

// Another program that writes: `realm-second-process`, which is built where the tests are.

#if Tools
import Foundation

/// A running second process; ended with the last reference.
final class SecondProcess: Sendable {
  struct Silence: Error {
    let question: String
  }

  private let process = Process()
  private let questions = Pipe()
  private let answers = Pipe()
  private let queue = DispatchQueue(label: "second process")

  init() throws {
    #if canImport(Darwin)
    let tests = Bundle(for: SecondProcess.self).bundleURL
    #else
    let tests = URL(fileURLWithPath: CommandLine.arguments[0])
    #endif
    process.executableURL = tests.deletingLastPathComponent()
      .appendingPathComponent("realm-second-process")
    process.standardInput = questions
    process.standardOutput = answers
    try process.run()
  }

  deinit {
    // It ends with its standard input.
    try? questions.fileHandleForWriting.close()
  }

  /// Sends a command to the process and waits for its answer of one line.
  @discardableResult
  func ask(_ question: String) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      queue.async {
        self.questions.fileHandleForWriting.write(Data("\(question)\n".utf8))
        var line = Data()
        while true {
          let byte = self.answers.fileHandleForReading.readData(ofLength: 1)
          if byte.isEmpty { return continuation.resume(throwing: Silence(question: question)) }
          if byte[byte.startIndex] == UInt8(ascii: "\n") { break }
          line.append(byte)
        }
        continuation.resume(returning: String(decoding: line, as: UTF8.self))
      }
    }
  }
}
#endif
