// SPDX-License-Identifier: Apache-2.0

// The addresses of WebSockets.

#if Sync
/// The parts of an address that begins with `ws` or `wss`.
struct SocketURL: Hashable {
  let isSecure: Bool
  /// Without the brackets of an IPv6 address.
  let host: String
  let port: Int
  /// The path with the query.
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

  /// Whether the host is an address, for which certificates have no names to be asked for.
  var isAddress: Bool {
    host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." }
  }

  /// Whether a connection through a proxy could not check the server's certificate: NIOSSL compares
  /// the addresses in it with the address of the connection's peer, which is the proxy.
  var isUncheckedByProxies: Bool { isSecure && isAddress }

  /// What is said when `isUncheckedByProxies` forbids a connection.
  static let uncheckedByProxies = """
    The certificate of a server that is given by its IP address cannot be checked through a proxy. \
    Use the server's host name in the base URL.
    """
}
#endif
