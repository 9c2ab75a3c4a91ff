// SPDX-License-Identifier: Apache-2.0

// Long results, a page at a time.

#if Tools
import Foundation
import RealmTools

/// Standard output, or a program for reading it in pages.
enum Pager {
  /// Lets `body` write a text for people: through the pager of the environment if the terminal is
  /// too low. What is written is shown at once.
  ///
  /// - Parameters:
  ///   - lineCount: How many lines there are.
  ///   - body: Called again, without a pager, if the one of the environment is not there.
  static func show(
    lineCount: Int, isAllowed: Bool, _ body: (ByteSink) throws -> Void
  ) throws {
    guard isAllowed, let height = Terminal.height, lineCount >= height, let program,
      let pipe = unsafe popen(program, "w")
    else { return try showWhole(body) }
    // A person who has seen enough ends the pager before it has read everything.
    signal(SIGPIPE, SIG_IGN)
    let sink = unsafe ByteSink(descriptor: fileno(pipe), isForPeople: true)
    var failure: (any Error)?
    do {
      try body(sink)
      try sink.finish()
    } catch {
      if !sink.isReaderGone { failure = error }
    }
    // The shell has not found the program.
    if unsafe pclose(pipe) >> 8 == 127 { return try showWhole(body) }
    if let failure { throw failure }
  }

  private static func showWhole(_ body: (ByteSink) throws -> Void) throws {
    let sink = ByteSink(descriptor: 1, isForPeople: true)
    try body(sink)
    try sink.finish()
  }

  /// `PAGER`, or less, where it is installed: it ends by itself if all fits, and does not break
  /// lines.
  private static var program: String? {
    let environment = ProcessInfo.processInfo.environment
    if let chosen = environment["PAGER"], !chosen.isEmpty { return chosen }
    let folders = (environment["PATH"] ?? "").split(separator: ":")
    let isThere = folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/less") }
    return isThere ? "less -FRSX" : nil
  }
}
#endif
