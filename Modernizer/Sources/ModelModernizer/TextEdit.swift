// SPDX-License-Identifier: Apache-2.0

// A change of a source file, by the positions of its bytes: what no edit names stays as it is.

/// The replacement of some bytes of a text.
struct TextEdit: Equatable {
  /// The bytes in UTF-8.
  let range: Range<Int>
  let replacement: String

  /// The text after some edits, none of which overlap.
  static func apply(_ edits: [TextEdit], to text: String) -> String {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var position = 0
    for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      precondition(edit.range.lowerBound >= position, "two edits of one place")
      result += bytes[position..<edit.range.lowerBound]
      result += Array(edit.replacement.utf8)
      position = edit.range.upperBound
    }
    result += bytes[position...]
    return String(decoding: result, as: UTF8.self)
  }
}
