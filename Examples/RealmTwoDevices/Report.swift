// SPDX-License-Identifier: Apache-2.0

// The text of the program, in 80 columns.

/// The lines of a report.
struct Report {
  private static let width = 80
  private static let labelWidth = 12
  private static let actionWidth = 36

  private(set) var lines: [String] = []

  /// Adds a paragraph.
  mutating func add(_ text: String) {
    if !lines.isEmpty { lines.append("") }
    lines += Self.wrapped(text, indent: 0)
  }

  /// Adds a conflict, its value before, and those that each device had offline.
  mutating func add(
    _ conflict: Conflict, _ number: Int, _ before: String, _ offline: [String]
  ) {
    lines.append("")
    lines.append("\(number). \(conflict.title)")
    lines.append(Self.row("at first", before))
    for (name, change, value) in [
      ("A", conflict.a, offline[0]), ("B", conflict.b, offline[1]),
    ] {
      let action = Self.padded(change.text, to: Self.actionWidth)
      lines.append(Self.row("\(name) at \(change.time)", action + value))
    }
    lines.append(Self.row("both now", conflict.merged))
    let rule = Self.wrapped(conflict.rule, indent: 3 + Self.labelWidth)
    lines.append(Self.row("rule", String(rule[0].drop { $0 == " " })))
    lines += rule.dropFirst()
  }

  private static func row(_ label: String, _ text: String) -> String {
    "   " + padded(label, to: labelWidth) + text
  }

  private static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }

  /// The lines of a text, none of them too long.
  private static func wrapped(_ text: String, indent: Int) -> [String] {
    let space = String(repeating: " ", count: indent)
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, indent + line.count + 1 + word.count > width {
        lines.append(space + line)
        line = ""
      }
      line += line.isEmpty ? String(word) : " " + word
    }
    return lines + [space + line]
  }
}
