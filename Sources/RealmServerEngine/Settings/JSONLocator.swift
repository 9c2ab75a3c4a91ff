// SPDX-License-Identifier: Apache-2.0

// Positions of values in the text of a file, for errors.

import RealmFormats

/// Finds members and elements in the bytes of valid JSON.
struct JSONLocator {
  private let bytes: [UInt8]
  private var position = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The line and the column of a member's key, or of an element, from 1; as far as the path leads.
  static func position(of path: [JSONStep], in bytes: [UInt8]) -> (line: Int, column: Int) {
    var locator = JSONLocator(bytes)
    locator.skipSpace()
    var found = locator.position
    for step in path {
      guard let next = locator.descend(step) else { break }
      found = next
    }
    return place(of: found, in: bytes)
  }

  /// The line and the column of an offset, from 1.
  static func place(of offset: Int, in bytes: [UInt8]) -> (line: Int, column: Int) {
    let before = bytes.prefix(offset)
    let newline = UInt8(ascii: "\n")
    let start = before.lastIndex(of: newline).map { $0 + 1 } ?? 0
    // Continuation bytes of a character are no columns.
    let column = before[start...].count { $0 & 0xC0 != 0x80 }
    return (before.count { $0 == newline } + 1, column + 1)
  }

  /// Goes to the value of a step. Returns the offset of its key, or of the element.
  private mutating func descend(_ step: JSONStep) -> Int? {
    let open: Unicode.Scalar
    switch step {
    case .key: open = "{"
    case .index: open = "["
    }
    guard position < bytes.count, bytes[position] == UInt8(ascii: open) else { return nil }
    position += 1
    var index = 0
    var found: (offset: Int, value: Int)?
    while true {
      skipSpace()
      guard position < bytes.count, !Self.isClosing(bytes[position]) else { break }
      let offset = position
      var isWanted = step == .index(index)
      if case .key(let key) = step {
        skipValue()
        let name = try? JSONParser.parse(Array(bytes[offset..<position]))
        isWanted = name?.string == key
        skipSpace()
        position += 1
        skipSpace()
      }
      // Of equal keys the last one is found.
      if isWanted { found = (offset, position) }
      skipValue()
      skipSpace()
      if position < bytes.count, bytes[position] == UInt8(ascii: ",") { position += 1 }
      index += 1
    }
    guard let found else { return nil }
    position = found.value
    return found.offset
  }

  private static func isClosing(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
  }

  private mutating func skipSpace() {
    while position < bytes.count, bytes[position] <= UInt8(ascii: " ") { position += 1 }
  }

  /// Passes a string, a number, a word, or all of an object or array.
  private mutating func skipValue() {
    var depth = 0
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        skipString()
        if depth == 0 { return }
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case let byte where Self.isClosing(byte):
        guard depth > 0 else { return }
        depth -= 1
        if depth == 0 {
          position += 1
          return
        }
      case UInt8(ascii: ",") where depth == 0: return
      default: break
      }
      position += 1
    }
  }

  private mutating func skipString() {
    position += 1
    while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
      position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    position += 1
  }
}
