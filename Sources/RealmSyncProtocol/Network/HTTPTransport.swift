// SPDX-License-Identifier: Apache-2.0

// Requests to an app server, and who carries them out.

/// Sends requests to app servers.
package protocol HTTPTransport: Sendable {
  /// Sends a request. An answer of any status is an answer.
  ///
  /// - Throws: `AppFailure.transport`.
  func send(_ request: HTTPRequest) async throws(AppFailure) -> HTTPResponse

  /// Sends a request whose answer has a body without an end. Its timeout does not count.
  ///
  /// - Parameters:
  ///   - head: Takes the answer without its body, and returns whether the body is wanted.
  ///   - part: Takes the next bytes, and returns whether more are wanted.
  /// - Throws: `AppFailure.transport`; `AppFailure.invalidCall` by a transport without streams.
  nonisolated(nonsending)
    func stream(
      _ request: HTTPRequest, head: (HTTPResponse) async -> Bool, part: ([UInt8]) async -> Bool
    ) async throws(AppFailure)
}

extension HTTPTransport {
  nonisolated(nonsending)
    package func stream(
      _ request: HTTPRequest, head: (HTTPResponse) async -> Bool, part: ([UInt8]) async -> Bool
    ) async throws(AppFailure)
  {
    throw .invalidCall("The transport of the app has no streams, which changes come by.")
  }
}

/// A header field of HTTP.
package struct HTTPHeader: Hashable, Sendable {
  package var name: String
  package var value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// Whether the header belongs to the protocol, out of the reach of apps.
  package var isReserved: Bool {
    let name = name.lowercased()
    return name.hasPrefix("sec-websocket-") || name.hasPrefix("proxy-")
      || ["authorization", "connection", "content-length", "host", "transfer-encoding", "upgrade"]
        .contains(name)
  }
}

/// A request of HTTP.
package struct HTTPRequest: Hashable, Sendable {
  /// The methods of app servers.
  package enum Method: String, CaseIterable, Hashable, Sendable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
  }

  package var method: Method
  package var url: String
  package var headers: [HTTPHeader]
  package var body: [UInt8]
  /// How long the answer may take.
  package var timeout: Milliseconds
  /// Whether an answer that names another address is followed; otherwise it is the answer.
  package var followsRedirections: Bool

  package init(
    _ method: Method, url: String, headers: [HTTPHeader] = [], body: [UInt8] = [],
    timeout: Milliseconds = 60_000, followsRedirections: Bool = true
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeout = timeout
    self.followsRedirections = followsRedirections
  }
}

/// An answer of HTTP.
package struct HTTPResponse: Hashable, Sendable {
  package var status: Int
  package var headers: [HTTPHeader]
  package var body: [UInt8]

  package init(status: Int, headers: [HTTPHeader] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// The value of a header, whose name is in any case; nil if there is none.
  package subscript(header name: String) -> String? {
    let name = name.lowercased()
    return headers.first { $0.name.lowercased() == name }?.value
  }
}
