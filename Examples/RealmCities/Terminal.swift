// SPDX-License-Identifier: Apache-2.0

// Prints lines above a progress bar that stays at the bottom.

import Foundation

/// The terminal (or the file) that the program prints to.
@MainActor
final class Terminal {
  private static let barWidth = 40

  private let isInteractive = isatty(STDOUT_FILENO) == 1
  private let start = ContinuousClock.now
  private var bar: String?

  /// Prints a line.
  func line(_ text: String = "") {
    clearBar()
    write(text + "\n")
    drawBar()
  }

  /// Prints a line with the time since the program started.
  func timed(_ text: String) {
    let seconds = start.duration(to: .now) / .seconds(1)
    line("[\(String(format: "%5.2f", seconds)) s] \(text)")
  }

  /// Shows the progress; a file gets the last state only.
  func progress(_ done: Int, of total: Int) {
    clearBar()
    let filled = done * Self.barWidth / max(total, 1)
    let shape =
      String(repeating: "#", count: filled)
      + String(repeating: ".", count: Self.barWidth - filled)
    bar = "[\(shape)] \(done.grouped) of \(total.grouped)"
    if done == total {
      write((bar ?? "") + "\n")
      bar = nil
    }
    drawBar()
  }

  private func clearBar() {
    if bar != nil, isInteractive { write("\r\u{1B}[K") }
  }

  private func drawBar() {
    if let bar, isInteractive { write(bar) }
  }

  private func write(_ text: String) {
    FileHandle.standardOutput.write(Data(text.utf8))
  }
}

extension Int {
  /// The number with a comma between groups of three digits.
  var grouped: String {
    var text = ""
    for (position, digit) in String(abs(self)).reversed().enumerated() {
      if position > 0, position % 3 == 0 { text = "," + text }
      text = "\(digit)" + text
    }
    return self < 0 ? "-" + text : text
  }
}
