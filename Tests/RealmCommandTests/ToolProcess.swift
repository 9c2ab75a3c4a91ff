// SPDX-License-Identifier: Apache-2.0

// The program realm as a process of its own.

#if Tools
import Foundation
import RealmTestSupport

/// The end of a process and all that it printed.
struct ToolProcess {
  let status: Int32
  /// Whether `status` is the number of the signal that ended it.
  let isSignal: Bool
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
  /// - Parameter input: The text on its standard input.
  @discardableResult
  init(
    _ arguments: String..., input: String = "", environment: [String: String] = [:]
  ) throws {
    try self.init(Self.program, arguments, input: input, environment: environment)
  }

  /// Runs any program to its end.
  ///
  /// - Parameters:
  ///   - terminal: The terminal of its standard output, whose text is `output` then.
  ///   - running: Called when it runs; what it reads of the output is not part of `output`.
  @discardableResult
  init(
    _ program: URL, _ arguments: [String], input: String = "",
    environment: [String: String] = [:], terminal: PseudoTerminal? = nil,
    running: (Process) throws -> Void = { _ in }
  ) throws {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment
      .merging(environment) { $1 }
    let (output, errors, source) = (Pipe(), Pipe(), Pipe())
    process.standardOutput =
      terminal.map { FileHandle(fileDescriptor: $0.program, closeOnDealloc: false) } ?? output
    process.standardError = errors
    process.standardInput = source
    try process.run()
    terminal?.closeProgramSide()
    // Errors are short; they fit into the pipe while the output is read.
    source.fileHandleForWriting.write(Data(input.utf8))
    try source.fileHandleForWriting.close()
    do {
      try running(process)
    } catch {
      process.terminate()
      throw error
    }
    let text =
      terminal?.text()
      ?? String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let complaint = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    status = process.terminationStatus
    isSignal = process.terminationReason == .uncaughtSignal
    self.output = text
    self.errors = String(decoding: complaint, as: UTF8.self)
  }
}
#endif
