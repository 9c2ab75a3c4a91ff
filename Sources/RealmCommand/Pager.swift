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
    guard isAllowed, let height = Terminal.height, lines >= height,
      let pipe = unsafe popen(program, "w")
    else {
      let sink = ByteSink(descriptor: 1, isForPeople: true)
      try sink.write(text)
      return try sink.finish()
    }
    // A person who has seen enough ends the pager before it has read everything.
    signal(SIGPIPE, SIG_IGN)
    let sink = unsafe ByteSink(descriptor: fileno(pipe), isForPeople: true)
    try? sink.write(text)
    try? sink.finish()
    _ = unsafe pclose(pipe)
  }

  /// `PAGER`, or less: it ends by itself if all fits, and does not break lines.
  private static var program: String {
    let chosen = ProcessInfo.processInfo.environment["PAGER"] ?? ""
    return chosen.isEmpty ? "less -FRSX" : chosen
  }
}
#endif
