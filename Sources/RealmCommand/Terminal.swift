// SPDX-License-Identifier: Apache-2.0

// The terminal: colours where there is one, and messages on standard error.

#if Tools
import Foundation
import Rainbow
import TextTable

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

  /// The colours of texts.
  enum Tint {
    case red, green, yellow, cyan
  }

  /// A text in a colour, if there are colours.
  static func colored(_ text: String, _ tint: Tint) -> String {
    guard hasColors else { return text }
    let color: NamedColor =
      switch tint {
      case .red: .red
      case .green: .green
      case .yellow: .yellow
      case .cyan: .cyan
      }
    return text.applyingColor(color)
  }

  /// A text that stands out, if there are colours.
  static func strong(_ text: String) -> String { hasColors ? text.applyingStyle(.bold) : text }

  /// A message on standard error.
  static func complain(_ text: String) {
    FileHandle.standardError.write(Data("realm: \(text)\n".utf8))
  }

  /// Rows as a table of texts.
  static func table(_ header: [String], _ rows: [[String]]) -> String {
    let table = TextTable<[String]> { row in
      zip(header, row).map { Column(title: $0, value: $1) }
    }
    // An empty table has no columns that the library could measure.
    guard !rows.isEmpty else { return header.joined(separator: "  ") + "\n" }
    return table.string(for: rows, style: Style.psql) ?? ""
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
