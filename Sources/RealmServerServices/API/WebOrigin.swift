// SPDX-License-Identifier: Apache-2.0

// Pages of the web that call the server (the Fetch standard: cross-origin requests).
//
// Invariants:
// 1. No page of another origin reads an answer or opens a socket, unless the app names its origin.

#if Server
import RealmStorage

/// The origin of a page: scheme, host and port.
package struct WebOrigin: Hashable, Sendable {
  /// In small letters.
  let scheme: String
  /// In small letters, without a port; an address of version 6 has its brackets.
  let host: String
  /// Nil for the usual port of the scheme.
  let port: UInt16?

  /// The origin that the header `Origin` has; nil for other texts.
  package init?(_ text: String) {
    let text = text.lowercased()
    guard let separator = text.firstRange(of: "://") else { return nil }
    let scheme = text[..<separator.lowerBound]
    guard let first = scheme.utf8.first, (97...122).contains(first),
      scheme.utf8.allSatisfy({ Self.isOfName($0) || $0 == UInt8(ascii: "+") })
    else { return nil }
    self.scheme = String(scheme)
    guard let authority = Self.authority(text[separator.upperBound...]) else { return nil }
    host = authority.host
    let usual: UInt16? =
      switch scheme {
      case "http": 80
      case "https": 443
      default: nil
      }
    port = authority.port == usual ? nil : authority.port
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// The host and the port of a text like `example.org:8080`; nil for other texts.
  private static func authority(_ text: Substring) -> (host: String, port: UInt16?)? {
    var host = text
    var port: UInt16?
    let end = text.lastIndex(of: "]").map { text.index(after: $0) } ?? text.startIndex
    if let colon = text[end...].firstIndex(of: ":") {
      host = text[..<colon]
      let digits = text[text.index(after: colon)...]
      guard (1...5).contains(digits.utf8.count),
        digits.utf8.allSatisfy({ (48...57).contains($0) }), let number = UInt16(digits)
      else { return nil }
      port = number
    }
    if host.hasPrefix("[") {
      guard host.hasSuffix("]"), ClientAddress(String(host)) != nil else { return nil }
    } else {
      guard !host.isEmpty, host.utf8.allSatisfy(isOfName) else { return nil }
    }
    return (String(host), port)
  }

  /// The text of the origin.
  package var text: String { "\(scheme)://\(host)" + (port.map { ":\($0)" } ?? "") }

  /// Whether the page is one of a program of the reader's own machine.
  var isLocal: Bool {
    guard scheme == "http" || scheme == "https" else { return false }
    return host == "localhost" || host.hasSuffix(".localhost")
      || ClientAddress(host)?.isLocal == true
  }

  /// Whether the page comes from a host as requests name it, perhaps with a port.
  package func isOf(host text: String) -> Bool {
    guard scheme == "http" || scheme == "https" else { return false }
    return WebOrigin("\(scheme)://\(text)") == self
  }
}

/// The origins of the pages that may call an app.
package struct AllowedOrigins: Hashable, Sendable {
  /// The text for all origins.
  package static let all = "*"

  private let named: Set<WebOrigin>
  private let allowsAll: Bool
  /// Whether pages of programs of the reader's own machine may call it.
  private let allowsLocal: Bool

  /// - Parameter texts: Origins, or the text for all.
  package init(_ texts: [String] = [], allowsLocal: Bool = false) {
    named = Set(texts.compactMap { WebOrigin($0) })
    allowsAll = texts.contains(Self.all)
    self.allowsLocal = allowsLocal
  }

  /// Whether a page may call the app.
  ///
  /// - Parameter text: The header `Origin`.
  package func allow(_ text: String) -> Bool {
    if allowsAll { return true }
    guard let origin = WebOrigin(text) else { return false }
    return named.contains(origin) || allowsLocal && origin.isLocal
  }
}
#endif
