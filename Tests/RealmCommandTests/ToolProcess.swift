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
    running: (SpawnedProgram) throws -> Void = { _ in }
  ) throws {
    let program = try SpawnedProgram(
      program.path, arguments, environment: environment, input: .pipe,
      output: terminal.map { .descriptor($0.program) } ?? .pipe, errors: .pipe)
    terminal?.closeProgramSide()
    // Errors are short; they fit into the pipe while the text of a terminal is read.
    try program.input?.write(contentsOf: Data(input.utf8))
    try program.input?.close()
    do {
      try running(program)
    } catch {
      program.kill()
      throw error
    }
    let text = terminal?.text()
    let run = try program.finish(input: nil)
    status = abs(run.status)
    isSignal = run.status < 0
    output = text ?? run.output
    errors = run.errors
  }
}
#endif
