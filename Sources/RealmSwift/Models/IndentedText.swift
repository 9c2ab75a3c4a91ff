// SPDX-License-Identifier: Apache-2.0

// Builds the description of nested values, writing each line once at its final indentation.
//
// Indenting the finished description of a nested value would copy it once for each level around it.

/// A description that grows line by line, each indented by one tab per enclosing level.
struct IndentedText {
  private(set) var text = ""
  private var lineBreak = "\n"
  /// Whether the list being written has elements.
  private var hasElements = false

  /// Whether there is more than anybody reads, as of values in a damaged file with themselves as
  /// elements.
  var isFull: Bool { text.utf8.count > 4 << 20 || lineBreak.utf8.count > 256 }

  /// Appends to the current line.
  mutating func append(_ part: String) { text += part }

  /// Appends a string of one or several lines, indenting all but the first.
  mutating func append(lines: String) {
    guard lines.utf8.contains(UInt8(ascii: "\n")) else { return text += lines }
    var isFirst = true
    for line in lines.split(separator: "\n", omittingEmptySubsequences: false) {
      if !isFirst { text += lineBreak }
      text += line
      isFirst = false
    }
  }

  mutating func startLine(_ part: String) { text += lineBreak + part }

  mutating func indent() { lineBreak += "\t" }

  mutating func unindent() { lineBreak.removeLast() }

  /// Appends the elements that `body` writes, each on a line of its own, and the closing
  /// parenthesis.
  ///
  /// - Parameter skipped: The number of elements left out; none if it is not above zero.
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

  mutating func startElement(_ part: String) {
    if hasElements { text += "," }
    hasElements = true
    startLine(part)
  }
}
