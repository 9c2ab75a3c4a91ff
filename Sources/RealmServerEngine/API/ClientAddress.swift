// SPDX-License-Identifier: Apache-2.0

// Addresses of the internet protocol, as limits count them.

/// An address of version 4 or 6. An address of version 4 in the form of version 6
/// (`::ffff:192.0.2.1`) equals the plain one.
package struct ClientAddress: Hashable, Sendable {
  /// Four bytes, or sixteen.
  let bytes: [UInt8]

  /// The address of a text, with or without brackets, a port or a zone; nil if it is none.
  package init?(_ text: String) {
    var text = text[...]
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]"),
        Self.isPort(text[text.index(after: end)...])
      else { return nil }
      text = text[text.index(after: text.startIndex)..<end]
    } else if let colon = text.firstIndex(of: ":"), text[..<colon].contains(".") {
      guard Self.isPort(text[colon...]) else { return nil }
      text = text[..<colon]
    }
    if let zone = text.firstIndex(of: "%") { text = text[..<zone] }
    guard let bytes = text.contains(":") ? Self.version6(text) : Self.version4(text) else {
      return nil
    }
    let isMapped =
      bytes.count == 16 && bytes[..<10].allSatisfy { $0 == 0 } && bytes[10..<12] == [0xFF, 0xFF]
    self.bytes = isMapped ? Array(bytes[12...]) : bytes
  }

  /// Whether the address is the machine's own.
  package var isLocal: Bool {
    bytes.count == 4
      ? bytes[0] == 127 : bytes[..<15].allSatisfy { $0 == 0 } && bytes[15] == 1
  }

  /// The address for limits. The 2^64 addresses of a network of version 6 count as one, as their
  /// owner has all of them.
  package var limitKey: String {
    guard bytes.count == 16 else { return bytes.map(String.init).joined(separator: ".") }
    return bytes[..<8].map { String($0, radix: 16) }.joined(separator: ":") + "/64"
  }

  // MARK: Texts

  private static func isPort(_ text: Substring) -> Bool {
    text.isEmpty || (text.hasPrefix(":") && UInt16(text.dropFirst()) != nil)
  }

  private static func version4(_ text: Substring) -> [UInt8]? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var bytes: [UInt8] = []
    for part in parts {
      guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy({ (48...57).contains($0) }),
        let byte = UInt8(part)
      else { return nil }
      bytes.append(byte)
    }
    return bytes
  }

  private static func version6(_ text: Substring) -> [UInt8]? {
    guard let gap = text.firstRange(of: "::") else {
      guard let bytes = groups(text), bytes.count == 16 else { return nil }
      return bytes
    }
    guard let head = groups(text[..<gap.lowerBound]), let tail = groups(text[gap.upperBound...]),
      head.count + tail.count <= 14
    else { return nil }
    return head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail
  }

  /// The bytes of groups of four digits; the last group may be an address of version 4.
  private static func groups(_ text: Substring) -> [UInt8]? {
    if text.isEmpty { return [] }
    var bytes: [UInt8] = []
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if part.contains(".") {
        guard index == parts.count - 1, let last = version4(part) else { return nil }
        bytes += last
      } else {
        guard (1...4).contains(part.utf8.count), part.first?.isHexDigit == true,
          let group = UInt16(part, radix: 16)
        else { return nil }
        bytes += [UInt8(group >> 8), UInt8(group & 0xFF)]
      }
    }
    return bytes
  }
}
