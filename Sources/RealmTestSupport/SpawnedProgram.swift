// SPDX-License-Identifier: Apache-2.0

// Programs that tests start. `Process` of Foundation serves tests badly: `waitUntilExit()` keeps a
// processor busy, a child that ended without being collected makes the testing library's own wait
// for children do the same, and each start copies the list of open files, and has read beyond its
// end where some thousand files were open.
//
// Invariants:
// 1. A child that has ended is collected at once, whether or not a test waits for its end.
// 2. No signal is sent to a child that was collected: its number may be another program's by then.

public import Foundation
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A program in a process of its own.
///
/// May be used on any thread. The program goes on without its last reference, until it ends by
/// itself.
public final class SpawnedProgram: Sendable {
  /// The system did not start a program.
  public struct Failure: Error {
    /// The number of the error.
    public let code: Int32
  }

  /// What one of the three standard streams of a program is.
  public enum Stream {
    /// The same as that of the test.
    case inherited
    /// Empty, and takes anything.
    case null
    /// A pipe, whose other end this program has.
    case pipe
    /// A file, which is emptied before a program writes to it.
    case file(String)
    /// What the test has opened under a number.
    case descriptor(Int32)
  }

  /// All that a program wrote, and how it ended.
  public struct Run: Sendable {
    /// The exit code; after a signal the number of the signal, negative.
    public let status: Int32
    /// The text of its standard output.
    public let output: String
    /// The text of its standard error.
    public let errors: String
  }

  /// The number of the process.
  public let identifier: pid_t
  /// Writes to the program's standard input, if that is a pipe.
  public let input: FileHandle?
  /// Reads the program's standard output, if that is a pipe.
  public let output: FileHandle?
  /// Reads the program's standard error, if that is a pipe.
  public let errors: FileHandle?
  /// The exit code, or the signal as a negative number; nil while the program runs.
  private let end = Mutex<Int32?>(nil)
  private let running = DispatchGroup()

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - path: The file of the program.
  ///   - environment: Variables to change or to add to those of the test.
  /// - Throws: `Failure`.
  public init(
    _ path: String, _ arguments: [String] = [], environment: [String: String] = [:],
    input: Stream = .inherited, output: Stream = .inherited, errors: Stream = .inherited
  ) throws {
    var setup = SpawnSetup()
    defer { setup.end() }
    self.input = try setup.set(0, input)
    self.output = try setup.set(1, output)
    self.errors = try setup.set(2, errors)
    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    identifier = try setup.start([path] + arguments, variables.map { "\($0)=\($1)" })
    running.enter()
    Thread.detachNewThread { self.collect() }
  }

  /// Whether the program has not ended yet.
  public var isRunning: Bool { end.withLock { $0 == nil } }

  /// Sends a signal, if the program still runs.
  public func kill(_ signal: Int32 = SIGKILL) {
    end.withLock { if $0 == nil { _ = Foundation.kill(identifier, signal) } }
  }

  /// Blocks the thread until the program has ended. Returns its exit code; after a signal the
  /// number of the signal, negative.
  @discardableResult
  public func waitUntilExit() -> Int32 {
    running.wait()
    return end.withLock { $0 ?? 0 }
  }

  private func collect() {
    var report = unsafe siginfo_t()
    // The child stays a child until the lock is held: see invariant 2.
    while unsafe waitid(P_PID, id_t(identifier), &report, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    end.withLock { end in
      var status: Int32 = 0
      while unsafe waitpid(identifier, &status, 0) < 0, errno == EINTR {}
      let signal = status & 0x7F
      end = signal == 0 ? (status >> 8) & 0xFF : -signal
    }
    running.leave()
  }

  /// Runs a program to its end.
  ///
  /// - Parameters:
  ///   - input: The text on its standard input.
  ///   - environment: Variables to change or to add to those of the test.
  /// - Throws: `Failure`.
  public static func run(
    _ path: String, _ arguments: [String] = [], input: String = "",
    environment: [String: String] = [:]
  ) throws -> Run {
    let program = try SpawnedProgram(
      path, arguments, environment: environment, input: input.isEmpty ? .null : .pipe,
      output: .pipe, errors: .pipe)
    return try program.finish(input: input)
  }

  /// Writes the rest of the standard input, and reads what the program writes until it ends.
  ///
  /// - Parameter text: The rest of the input; nil if the input was closed.
  public func finish(input text: String? = "") throws -> Run {
    // Each stream has a thread of its own: the buffer of a pipe is small.
    let errors = Mutex(Data())
    let reading = DispatchGroup()
    reading.enter()
    Thread.detachNewThread {
      let data = self.errors?.readDataToEndOfFile() ?? Data()
      errors.withLock { $0 = data }
      reading.leave()
    }
    if let input, let text {
      try input.write(contentsOf: Data(text.utf8))
      try input.close()
    }
    let data = output?.readDataToEndOfFile() ?? Data()
    reading.wait()
    return Run(
      status: waitUntilExit(), output: String(decoding: data, as: UTF8.self),
      errors: String(decoding: errors.withLock { $0 }, as: UTF8.self))
  }
}
