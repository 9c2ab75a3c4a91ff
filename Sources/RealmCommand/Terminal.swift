// SPDX-License-Identifier: Apache-2.0

// The terminal: colours where there is one, and messages on standard error.

#if Tools
import Foundation
import RealmTools

/// Standard output and standard error as a person or a script sees them.
enum Terminal {
  /// Whether standard output is a terminal.
  static let isOutput = isatty(1) == 1

  /// Colours are for people (https://no-color.org).
  static let hasColors: Bool = {
    let environment = ProcessInfo.processInfo.environment
    let isAllowed = environment["NO_COLOR"]?.isEmpty ?? true
    return isOutput && isAllowed && environment["TERM"] != "dumb"
  }()

  /// A text in a colour, if there are colours.
  static func colored(_ text: String, _ style: TerminalText.Style) -> String {
    hasColors ? TerminalText.styled(text, style) : text
  }

  /// A highlighted text, if there are colours.
  static func strong(_ text: String) -> String { colored(text, .bold) }

  /// A message on standard error.
  static func complain(_ text: String) {
    write("realm: \(TerminalText.safe(text))\n", to: 2)
  }

  /// Writes a text; an error of the output is ignored, as it cannot be reported anywhere.
  static func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Foundation.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// How many lines standard output shows at a time; nil if it is no terminal.
  static var height: Int? {
    var size = winsize()
    guard isOutput, unsafe ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else {
      return nil
    }
    return Int(size.ws_row)
  }

  /// A number of bytes for people.
  static func bytes(_ count: Int) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
    var number = Double(count)
    var unit = 0
    while number >= 1024, unit < units.count - 1 {
      number /= 1024
      unit += 1
    }
    return unit == 0 ? "\(count) bytes" : String(format: "%.1f \(units[unit])", number)
  }
}
#endif
