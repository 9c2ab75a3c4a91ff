// SPDX-License-Identifier: Apache-2.0

// The output of a program.

#if Server
import Synchronization

/// Lines that are collected on a thread and read on another.
final class Lines: Sendable {
  private let lines = Mutex<[String]>([])

  func add(_ line: String) { lines.withLock { $0.append(line) } }

  var text: String { lines.withLock { $0.joined(separator: "\n") } }
}
#endif
