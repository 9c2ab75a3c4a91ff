// SPDX-License-Identifier: Apache-2.0

// A request to an app server.

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

  package init(
    _ method: Method, url: String, headers: [HTTPHeader] = [], body: [UInt8] = [],
    timeout: Milliseconds = 60_000
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeout = timeout
  }
}
