// SPDX-License-Identifier: Apache-2.0

// What happened in a storm, line by line, for whoever looks for the reason of a failure.

#if Server
import Foundation
import Synchronization

/// The file `storm.txt`: steps of the plan, starts and ends of processes, and what devices say.
final class StormLog: Sendable {
  private let start = StormClock.now
  private let file: Mutex<FileHandle>

  init(path: String) throws {
    try Data().write(to: URL(fileURLWithPath: path))
    file = Mutex(try FileHandle(forWritingTo: URL(fileURLWithPath: path)))
  }

  /// Adds a line with the seconds since the start.
  func add(_ source: String, _ text: String) {
    let seconds = Double(StormClock.now - start) / 1_000_000
    let line = String(format: "%9.3f  ", seconds) + "\(source): \(text)\n"
    file.withLock { try? $0.write(contentsOf: Data(line.utf8)) }
  }
}
#endif
