// SPDX-License-Identifier: Apache-2.0

// The addresses of WebSockets.

#if Sync
/// The parts of a `ws` or `wss` address.
struct SocketURL: Hashable {
  let isSecure: Bool
  /// Without the brackets of an IPv6 address.
  let host: String
  let port: Int
  let path: String
  /// The header `Host`.
  let authority: String

  /// The parts of an address; nil if it is none.
  init?(_ text: String) {
    guard let colon = text.firstRange(of: "://") else { return nil }
    switch text[..<colon.lowerBound] {
    case "ws", "http": isSecure = false
    case "wss", "https": isSecure = true
    default: return nil
    }
    let rest = text[colon.upperBound...]
    let end = rest.firstIndex { "/?".contains($0) } ?? rest.endIndex
    authority = String(rest[..<end])
    let target = rest[end...]
    path = target.hasPrefix("/") ? String(target) : "/" + target
    var host = authority[...]
    var port: Int? = isSecure ? 443 : 80
    let nameEnd = host.lastIndex(of: "]") ?? host.startIndex
    if let separator = host[nameEnd...].lastIndex(of: ":") {
      port = Int(host[host.index(after: separator)...])
      host = host[..<separator]
    }
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    guard let port, (1...65_535).contains(port), !host.isEmpty, !host.contains("@"),
      !text.contains(where: { $0.isWhitespace || $0 == "#" })
    else { return nil }
    self.host = String(host)
    self.port = port
  }

  /// Whether the host is an address: certificates have no names for these.
  var isAddress: Bool {
    host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." }
  }

  /// Whether a proxy keeps the connection from checking the server's certificate: NIOSSL compares
  /// its addresses with the address of the connection's peer, and the peer is the proxy.
  var isUncheckedByProxies: Bool { isSecure && isAddress }

  /// The error text if `isUncheckedByProxies` forbids a connection.
  static let uncheckedByProxies = """
    The certificate of a server that is given by its IP address cannot be checked through a proxy. \
    Use the server's host name in the base URL.
    """
}
#endif
