// SPDX-License-Identifier: Apache-2.0

// How much a process gives to the system to be written.

import Foundation

/// The bytes that the process passed to the functions that write, as Linux counts them.
struct WrittenBytes {
  private let start: Int

  /// Nil where the system does not count.
  init?() {
    guard let start = Self.now else { return nil }
    self.start = start
  }

  /// The bytes since the value was made.
  var sinceMade: Int { (Self.now ?? start) - start }

  private static var now: Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/io", encoding: .utf8) else {
      return nil
    }
    let line = text.split(separator: "\n").first { $0.hasPrefix("wchar: ") }
    return line.flatMap { Int($0.dropFirst(7)) }
  }
}
