// SPDX-License-Identifier: Apache-2.0

// The lines of a text, by the positions of their bytes.

/// The lines of a text.
struct LineIndex {
  private let bytes: [UInt8]
  /// Where the lines begin, and the end of the text.
  private let starts: [Int]

  init(_ text: String) {
    bytes = Array(text.utf8)
    var starts = [0]
    for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") {
      starts.append(index + 1)
    }
    if starts.last != bytes.count { starts.append(bytes.count) }
    self.starts = starts
  }

  private func line(at position: Int) -> Int {
    (starts.firstIndex { $0 > position } ?? starts.count - 1) - 1
  }

  /// The text of a line without the blanks around it; nil outside of the text.
  private func text(_ line: Int) -> String? {
    guard starts.indices.contains(line), starts.indices.contains(line + 1) else { return nil }
    let text = String(decoding: bytes[starts[line]..<starts[line + 1]], as: UTF8.self)
    let blanks: Set<Character> = [" ", "\t", "\n", "\r\n", "\r"]
    return String(
      text.drop { blanks.contains($0) }.reversed().drop { blanks.contains($0) }.reversed())
  }

  /// The blanks before the first word of the line of a position.
  func indentation(at position: Int) -> String {
    let start = starts[line(at: position)]
    let end = bytes[start...].firstIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
    return String(decoding: bytes[start..<min(end ?? start, position)], as: UTF8.self)
  }

  /// The lines of a declaration, with the comment before it, and one of the blank lines around it
  /// where two would follow each other; its bytes alone, if other code is on its lines.
  func lines(of range: Range<Int>) -> Range<Int> {
    var first = line(at: range.lowerBound)
    var last = line(at: range.upperBound - 1)
    let before = bytes[starts[first]..<range.lowerBound]
    let after = bytes[range.upperBound..<starts[last + 1]]
    let blank: (UInt8) -> Bool = { [0x20, 0x09, 0x0a, 0x0d].contains($0) }
    guard before.allSatisfy(blank), after.allSatisfy(blank) else { return range }
    while let text = text(first - 1), text.hasPrefix("//"), !text.contains("MARK:") { first -= 1 }
    let next = text(last + 1)
    if text(first - 1) == "", next == "" || next?.hasPrefix("}") ?? true {
      first -= 1
    } else if next == "", text(first - 1)?.hasSuffix("{") ?? true {
      last += 1
    }
    return starts[first]..<starts[last + 1]
  }

  /// The ranges, those that overlap as one.
  static func joined(_ ranges: [Range<Int>]) -> [Range<Int>] {
    var result: [Range<Int>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = result.last, range.lowerBound < last.upperBound {
        result[result.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        result.append(range)
      }
    }
    return result
  }
}
