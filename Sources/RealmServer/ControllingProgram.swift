// SPDX-License-Identifier: Apache-2.0

// The program that has started this server, and controls it over the standard input: storms and
// tests.

#if Server
import Foundation
import Synchronization

/// The other end of the standard input.
///
/// A line `clock <seconds>` sets how far the clock of the server is from the clock of the machine.
/// At the end of the input, and so of the program at its other end, the server shuts down.
enum ControllingProgram {
  private static let offset = Atomic<Int64>(0)

  /// Seconds that are added to the time of the machine; 0 without a controlling program.
  static var clockOffset: Int64 { offset.load(ordering: .relaxed) }

  /// Follows the lines of the standard input.
  ///
  /// - Parameter clockOffset: The seconds to add to the time of the machine until a line says
  ///   otherwise.
  static func follow(clockOffset: Int64) {
    offset.store(clockOffset, ordering: .relaxed)
    Thread.detachNewThread {
      while let line = readLine() {
        let words = line.split(separator: " ")
        guard words.count == 2, words[0] == "clock", let seconds = Int64(words[1]) else { continue }
        offset.store(seconds, ordering: .relaxed)
      }
      _ = kill(getpid(), SIGTERM)
    }
  }
}
#endif
