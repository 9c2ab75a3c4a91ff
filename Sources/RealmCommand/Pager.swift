// SPDX-License-Identifier: Apache-2.0

// Long results, a page at a time.

#if Tools
import Foundation
import RealmTools

/// Standard output, or a program for reading it in pages.
enum Pager {
  /// Writes a text for people: through the pager of the environment if the terminal is too low.
  static func show(_ text: String, isAllowed: Bool) throws(ToolFailure) {
    let lines = text.utf8.count { $0 == UInt8(ascii: "\n") }
    guard isAllowed, let height = Terminal.height, lines >= height, let program,
      let pipe = unsafe popen(program, "w")
    else { return try showWhole(text) }
    // A person who has seen enough ends the pager before it has read everything.
    signal(SIGPIPE, SIG_IGN)
    let sink = unsafe ByteSink(descriptor: fileno(pipe), isForPeople: true)
    try? sink.write(text)
    try? sink.finish()
    // The shell has not found the program.
    if unsafe pclose(pipe) >> 8 == 127 { try showWhole(text) }
  }

  /// Writes a text to standard output.
  private static func showWhole(_ text: String) throws(ToolFailure) {
    let sink = ByteSink(descriptor: 1, isForPeople: true)
    try sink.write(text)
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
