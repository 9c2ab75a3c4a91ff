// SPDX-License-Identifier: Apache-2.0

// A request as the listener hands it over.

/// A request of HTTP.
package struct APIRequest: Sendable {
  package var method: String
  /// The path without the query, as it was sent.
  package var path: String
  /// The query after the question mark, as it was sent.
  package var query: String
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]
  package var origin: RequestOrigin

  package init(
    _ method: String, _ path: String, query: String = "",
    headers: [(name: String, value: String)] = [], body: [UInt8] = [],
    origin: RequestOrigin = RequestOrigin()
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
    self.origin = origin
  }

  /// The value of a header, whose name is in any case; nil if there is none.
  package subscript(header name: String) -> String? {
    let name = name.lowercased()
    return headers.first { $0.name.lowercased() == name }?.value
  }

  /// The token of the header `Authorization`.
  var bearerToken: String? {
    guard let value = self[header: "Authorization"], value.hasPrefix("Bearer ") else { return nil }
    return String(value.dropFirst(7))
  }

  /// Whether the request has a token. The comparison takes the same time for any token.
  package func hasBearerToken(_ token: String) -> Bool {
    guard let bearerToken else { return false }
    return ConstantTime.areEqual(Array(bearerToken.utf8), Array(token.utf8))
  }

  /// The value of a parameter of the query; tokens need no escapes.
  package func parameter(_ name: String) -> String? {
    for part in query.split(separator: "&") where part.hasPrefix(name + "=") {
      return String(part.dropFirst(name.utf8.count + 1))
    }
    return nil
  }
}

/// The requests of an address in a minute.
package struct RequestLimits: Hashable, Sendable {
  /// Attempts in vain with passwords and mailed tokens.
  package var attempts = 10
  /// Registrations, and requests for mails, successful ones too.
  package var registrations = 30
  /// New anonymous users, without those of the server's own machine.
  package var anonymousLogins = 100

  package init() {}
}
