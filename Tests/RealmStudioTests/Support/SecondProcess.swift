// SPDX-License-Identifier: Apache-2.0

// Another program that writes: `realm-second-process`, which is built where the tests are.

#if Tools
import Foundation
import RealmTestSupport

/// A running second process; ended with the last reference.
final class SecondProcess: Sendable {
  struct Silence: Error {
    let question: String
  }

  private let program: SpawnedProgram
  private let queue = DispatchQueue(label: "second process")

  init() throws {
    #if canImport(Darwin)
    let tests = Bundle(for: SecondProcess.self).bundleURL
    #else
    let tests = URL(fileURLWithPath: CommandLine.arguments[0])
    #endif
    let path = tests.deletingLastPathComponent().appendingPathComponent("realm-second-process").path
    program = try SpawnedProgram(path, input: .pipe, output: .pipe)
  }

  deinit {
    // It ends with its standard input.
    try? program.input?.close()
  }

  /// Sends a command to the process and waits for its answer of one line.
  @discardableResult
  func ask(_ question: String) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      queue.async {
        self.program.input?.write(Data("\(question)\n".utf8))
        var line = Data()
        while true {
          let byte = self.program.output?.readData(ofLength: 1) ?? Data()
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
