// SPDX-License-Identifier: Apache-2.0

// Cuts Swift source into tokens and comments, exactly enough for the style rules: rules that look
// at tokens are not fooled by what strings and comments say.

/// A piece of Swift source that is neither space nor comment.
struct Token: Equatable {
  enum Kind {
    /// An identifier, a keyword, an attribute (`@x`) or a directive (`#x`).
    case word
    case number
    /// A string literal with its interpolations; its text is left out.
    case string
    /// One character of punctuation.
    case mark
  }

  var kind: Kind
  var text: String
  /// Counted from 1.
  var line: Int
  /// Byte offsets in the source.
  var start: Int
  var end: Int
}

/// One line of a comment.
struct Comment: Equatable {
  var text: String
  /// Counted from 1.
  var line: Int

  /// Whether this is a documentation comment.
  var isDocumentation: Bool {
    text.hasPrefix("///") || text.hasPrefix("/**")
  }
}

/// Reads one source from start to end.
struct Lexer {
  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  private(set) var tokens: [Token] = []
  private(set) var comments: [Comment] = []

  init(_ source: String) {
    bytes = Array(source.utf8)
    while position < bytes.count {
      step()
    }
  }

  private func byte(_ ahead: Int = 0) -> UInt8 {
    position + ahead < bytes.count ? bytes[position + ahead] : 0
  }

  private mutating func step() {
    let start = position
    switch byte() {
    case UInt8(ascii: "\n"):
      line += 1
      position += 1
    case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
      position += 1
    case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "/"):
      while position < bytes.count, byte() != UInt8(ascii: "\n") { position += 1 }
      addComment(from: start)
    case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "*"):
      skipBlockComment()
    case UInt8(ascii: "\""):
      skipString(hashes: 0)
    case UInt8(ascii: "#") where opensRawString():
      var hashes = 0
      while byte() == UInt8(ascii: "#") {
        hashes += 1
        position += 1
      }
      skipString(hashes: hashes)
    case let first where isWord(first) || first == UInt8(ascii: "@") || first == UInt8(ascii: "#"):
      position += 1
      while isWord(byte()) { position += 1 }
      let isNumber = first >= UInt8(ascii: "0") && first <= UInt8(ascii: "9")
      add(isNumber ? .number : .word, from: start)
    case UInt8(ascii: "`"):
      position += 1
      while position < bytes.count, byte() != UInt8(ascii: "`") { position += 1 }
      position += 1
      add(.word, from: start)
    default:
      position += 1
      add(.mark, from: start)
    }
  }

  private func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 128...:
      true
    default:
      false
    }
  }

  private func opensRawString() -> Bool {
    var ahead = 0
    while byte(ahead) == UInt8(ascii: "#") { ahead += 1 }
    return byte(ahead) == UInt8(ascii: "\"")
  }

  private mutating func add(_ kind: Token.Kind, from start: Int) {
    let text = String(decoding: bytes[start..<min(position, bytes.count)], as: UTF8.self)
    tokens.append(Token(kind: kind, text: text, line: line, start: start, end: position))
  }

  private mutating func addComment(from start: Int) {
    comments.append(
      Comment(text: String(decoding: bytes[start..<position], as: UTF8.self), line: line))
  }

  private mutating func skipBlockComment() {
    var depth = 0
    var start = position
    repeat {
      if byte() == UInt8(ascii: "/"), byte(1) == UInt8(ascii: "*") {
        depth += 1
        position += 2
      } else if byte() == UInt8(ascii: "*"), byte(1) == UInt8(ascii: "/") {
        depth -= 1
        position += 2
      } else if byte() == UInt8(ascii: "\n") {
        addComment(from: start)
        line += 1
        position += 1
        start = position
      } else {
        position += 1
      }
    } while depth > 0 && position < bytes.count
    position = min(position, bytes.count)
    addComment(from: start)
  }

  /// Skips a string literal that starts at `position` with a quote, after `hashes` number signs.
  private mutating func skipString(hashes: Int) {
    let start = position - hashes
    let firstLine = line
    let quote = UInt8(ascii: "\"")
    let isMultiline = byte(1) == quote && byte(2) == quote
    let closing =
      [UInt8](repeating: quote, count: isMultiline ? 3 : 1)
      + [UInt8](repeating: UInt8(ascii: "#"), count: hashes)
    let escape = [UInt8(ascii: "\\")] + [UInt8](repeating: UInt8(ascii: "#"), count: hashes)
    position += isMultiline ? 3 : 1
    while position < bytes.count, !bytes[position...].starts(with: closing) {
      if bytes[position...].starts(with: escape) {
        position += escape.count
        if byte() == UInt8(ascii: "(") {
          skipInterpolation()
          continue
        }
      }
      if byte() == UInt8(ascii: "\n") { line += 1 }
      position += 1
    }
    position = min(position + closing.count, bytes.count)
    tokens.append(
      Token(kind: .string, text: "\"\"", line: firstLine, start: start, end: position))
  }

  /// Skips the code of an interpolation: it is read with the same lexer, and then forgotten.
  private mutating func skipInterpolation() {
    let known = tokens.count
    var depth = 0
    repeat {
      let count = tokens.count
      step()
      guard tokens.count > count, let last = tokens.last else { continue }
      if last.text == "(" { depth += 1 }
      if last.text == ")" { depth -= 1 }
    } while depth > 0 && position < bytes.count
    tokens.removeSubrange(known...)
  }
}
