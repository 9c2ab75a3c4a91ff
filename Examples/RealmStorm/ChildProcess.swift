// SPDX-License-Identifier: Apache-2.0

// Programs that the storm starts.

#if Server
import Foundation

/// A program in a process of its own, whose lines are read as they come.
final class ChildProcess {
  private let process = Process()
  private let input = Pipe()
  private let reading = DispatchGroup()

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - program: A program of this package by its name, or another one by its path.
  ///   - errors: The file to which its standard error is added.
  ///   - take: Called with each line of its standard output, on a thread of its own.
  init(
    _ program: String, _ arguments: [String], errors: String,
    take: @escaping @Sendable (String) -> Void = { _ in }
  ) throws {
    let output = Pipe()
    process.executableURL = Self.url(of: program)
    process.arguments = arguments
    // A tracer of a crash goes on after a kill, and keeps the streams open.
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    process.standardInput = input
    process.standardOutput = output
    if !FileManager.default.fileExists(atPath: errors) {
      try Data().write(to: URL(fileURLWithPath: errors))
    }
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: errors))
    try file.seekToEnd()
    process.standardError = file
    try process.run()
    try file.close()
    let handle = output.fileHandleForReading
    reading.enter()
    Thread.detachNewThread { [reading] in
      var rest = Data()
      while case let data = handle.availableData, !data.isEmpty {
        rest += data
        while let end = rest.firstIndex(of: 10) {
          take(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
          rest = rest[rest.index(after: end)...]
        }
      }
      reading.leave()
    }
  }

  /// The place of a program. Those of this package are beside this one.
  private static func url(of program: String) -> URL {
    if program.hasPrefix("/") { return URL(fileURLWithPath: program) }
    return (Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0]))
      .deletingLastPathComponent().appendingPathComponent(program)
  }

  var isRunning: Bool { process.isRunning }

  /// The number of the process.
  var number: Int32 { process.processIdentifier }

  /// Sends a line to its standard input.
  func send(_ line: String) {
    // A program that has ended takes none.
    try? input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
  }

  /// Ends its standard input.
  func endInput() { try? input.fileHandleForWriting.close() }

  func signal(_ number: Int32) {
    if process.isRunning { _ = kill(process.processIdentifier, number) }
  }

  /// Ends it at once, wherever it is, and waits until all that it has printed is taken.
  func end() {
    signal(SIGKILL)
    // Programs that it has started may wait for that. With Foundation they keep it running.
    endInput()
    process.waitUntilExit()
    reading.wait()
  }

  /// Waits until it has ended by itself. Returns its exit code.
  func wait() -> Int32 {
    process.waitUntilExit()
    reading.wait()
    return process.terminationStatus
  }
}
#endif
