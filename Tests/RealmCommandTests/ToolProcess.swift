// SPDX-License-Identifier: Apache-2.0

// The program realm as a process of its own.

#if Tools
import Foundation

/// The end of a process and all that it printed.
struct ToolProcess {
  let status: Int32
  let output: String
  let errors: String

  /// The program beside the tests.
  static let program: URL = {
    #if canImport(Darwin)
    let tests = Bundle(for: Anchor.self).bundleURL
    #else
    let tests = URL(fileURLWithPath: CommandLine.arguments[0])
    #endif
    return tests.deletingLastPathComponent().appendingPathComponent("realm")
  }()

  private final class Anchor {}

  /// Runs the program to its end.
  ///
  /// - Parameter input: What it reads on standard input.
  @discardableResult
  init(
    _ arguments: String..., input: String = "", environment: [String: String] = [:]
  ) throws {
    let process = Process()
    process.executableURL = Self.program
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment
      .merging(environment) { $1 }
    let (output, errors, source) = (Pipe(), Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = source
    try process.run()
    // Errors are short; they fit into the pipe while the output is read.
    source.fileHandleForWriting.write(Data(input.utf8))
    try source.fileHandleForWriting.close()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    let complaint = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    status = process.terminationStatus
    self.output = String(decoding: text, as: UTF8.self)
    self.errors = String(decoding: complaint, as: UTF8.self)
  }
}
#endif
