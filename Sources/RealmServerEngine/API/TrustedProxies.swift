// SPDX-License-Identifier: Apache-2.0

// The proxies whose word about their clients counts.
//
// Invariants:
// 1. The headers of a client change nothing: of the reported addresses the last untrusted one
//    counts, and a trusted proxy has written it.

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
    var origin = RequestOrigin(peer, isSecure: isEncrypted, isForwarded: isForwarded)
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
