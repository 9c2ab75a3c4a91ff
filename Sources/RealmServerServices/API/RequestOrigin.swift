// SPDX-License-Identifier: Apache-2.0

// The client of a request: its address, and what trusted proxies report about it.
//
// Invariants:
// 1. The headers of a client change nothing: of the reported addresses the last untrusted one
//    counts, and a trusted proxy has written it.

#if Server
/// The client of a request, as far as its connection and the proxies before the server name it.
package struct RequestOrigin: Hashable, Sendable {
  /// Nil if it is not known.
  package var address: ClientAddress?
  /// Whether the client's own connection is encrypted.
  package var isSecure = false
  /// Whether a proxy has passed the request on, or says so.
  package var isForwarded = false

  /// The address for limits.
  package var limitKey: String { address?.limitKey ?? "unknown" }

  /// The network of the address for limits of a second level; nil if the address is all of it.
  package var networkKey: String? { address?.networkKey }

  /// The address for what takes turns: those of one network of version 6 have one.
  package var turnKey: String { networkKey ?? limitKey }

  /// Whether the request comes from a program of this machine, other than a proxy.
  package var isLocal: Bool { !isForwarded && address?.isLocal == true }
}

/// The networks of the proxies before a server.
package struct TrustedProxies: Hashable, Sendable {
  private let ranges: [AddressRange]

  /// The proxies of the server's own machine.
  package static let local = TrustedProxies(["127.0.0.0/8", "::1"].compactMap { AddressRange($0) })

  package init(_ ranges: [AddressRange]) { self.ranges = ranges }

  func trusts(_ address: ClientAddress) -> Bool { ranges.contains { $0.contains(address) } }

  /// Where a request comes from.
  ///
  /// - Parameters:
  ///   - peer: The address of the other end of the connection.
  ///   - headers: The headers of the request.
  ///   - isEncrypted: Whether the connection is.
  package func origin(
    peer: String, headers: [(name: String, value: String)], isEncrypted: Bool
  ) -> RequestOrigin {
    let peer = ClientAddress(peer)
    let isForwarded = headers.contains { header in
      ["x-forwarded-for", "x-real-ip", "forwarded", "via"].contains(header.name.lowercased())
    }
    var origin = RequestOrigin(address: peer, isSecure: isEncrypted, isForwarded: isForwarded)
    guard let peer, trusts(peer) else { return origin }
    for text in Self.values("x-forwarded-for", headers).reversed() {
      // Anything behind an unreadable text is of unknown origin.
      guard let address = ClientAddress(text) else { break }
      origin.address = address
      guard trusts(address) else { break }
    }
    if let scheme = Self.values("x-forwarded-proto", headers).last {
      origin.isSecure = scheme.lowercased() == "https"
    }
    return origin
  }

  /// The elements of the lists in the headers of a name.
  private static func values(
    _ name: String, _ headers: [(name: String, value: String)]
  ) -> [String] {
    headers.filter { $0.name.lowercased() == name }.flatMap { header in
      header.value.split(separator: ",").map { part in part.filter { $0 != " " && $0 != "\t" } }
    }
  }
}

/// The addresses with the same first bits (RFC 4632).
package struct AddressRange: Hashable, Sendable {
  private let address: ClientAddress
  private let bitCount: Int

  /// The range of a text like `10.0.0.0/8` or `2001:db8::/32`, or of one address; nil if it is
  /// none.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = ClientAddress(String(parts[0])) else { return nil }
    self.address = address
    let width = address.bytes.count * 8
    guard parts.count == 2 else {
      bitCount = width
      return
    }
    guard var count = Int(parts[1]) else { return nil }
    // For an address of version 4, written as one of version 6.
    if width == 32, parts[0].contains(":") { count -= 96 }
    guard (0...width).contains(count) else { return nil }
    bitCount = count
  }

  /// Whether an address is one of the range.
  package func contains(_ other: ClientAddress) -> Bool {
    guard other.bytes.count == address.bytes.count else { return false }
    let whole = bitCount / 8
    guard other.bytes[..<whole] == address.bytes[..<whole] else { return false }
    let rest = bitCount % 8
    return rest == 0 || (other.bytes[whole] ^ address.bytes[whole]) >> (8 - rest) == 0
  }
}

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

  /// The network of an address of version 6: who has one of its 65,536 parts mostly has all of
  /// them. Nil for version 4.
  package var networkKey: String? {
    guard bytes.count == 16 else { return nil }
    return bytes[..<6].map { String($0, radix: 16) }.joined(separator: ":") + "/48"
  }

}

extension ClientAddress {
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
#endif
