// SPDX-License-Identifier: Apache-2.0

// How far long work is, on a terminal.

#if Tools
import Foundation

/// One line on standard error, written over again and again; silent without a terminal.
final class ProgressLine {
  private let title: String
  private let isShown = isatty(2) == 1
  private var last = Date.distantPast
  private var isWritten = false

  init(_ title: String) { self.title = title }

  deinit { clear() }

  /// Reports how much is done, at most ten times a second.
  func report(_ done: Int, _ total: Int) {
    guard isShown else { return }
    let now = Date()
    guard now.timeIntervalSince(last) >= 0.1 else { return }
    last = now
    isWritten = true
    let share = total > 0 ? " \(min(done * 100 / total, 100)) %" : ""
    write("\r\(title) \(done)\(total > 0 ? " of \(total)" : "")\(share)\u{1B}[K")
  }

  /// Takes the line away.
  func clear() {
    guard isWritten else { return }
    isWritten = false
    write("\r\u{1B}[K")
  }

  private func write(_ text: String) { Terminal.write(text, to: 2) }
}
#endif
