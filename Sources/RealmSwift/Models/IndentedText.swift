// SPDX-License-Identifier: Apache-2.0

// The text of what holds others, each line written once where it belongs.
//
// To move in the finished text of what is held would copy it once for each level around it.

/// A text that grows line by line, each moved in by as many tabs as there are levels around it.
struct IndentedText {
  private(set) var text = ""
  private var lineBreak = "\n"
  /// Whether the list that is written has elements.
  private var hasElements = false

  /// Appends to the line.
  mutating func append(_ part: String) { text += part }

  /// Appends what may have several lines, all but the first of which are moved in.
  mutating func append(lines: String) {
    guard lines.utf8.contains(UInt8(ascii: "\n")) else { return text += lines }
    var isFirst = true
    for line in lines.split(separator: "\n", omittingEmptySubsequences: false) {
      if !isFirst { text += lineBreak }
      text += line
      isFirst = false
    }
  }

  /// Begins another line.
  mutating func startLine(_ part: String) { text += lineBreak + part }

  mutating func indent() { lineBreak += "\t" }

  mutating func unindent() { lineBreak.removeLast() }

  /// Appends the elements that `body` writes, each on a line of its own, and the parenthesis behind
  /// them.
  ///
  /// - Parameter skipped: How many are left out; none if it is not above zero.
  mutating func list(skipping skipped: Int, _ body: (inout IndentedText) -> Void) {
    let outer = hasElements
    hasElements = false
    indent()
    body(&self)
    if skipped > 0 { startElement("... \(skipped) objects skipped.") }
    unindent()
    startLine(hasElements ? ")" : lineBreak + ")")
    hasElements = outer
  }

  /// Begins an element of a list.
  mutating func startElement(_ part: String) {
    if hasElements { text += "," }
    hasElements = true
    startLine(part)
  }
}
