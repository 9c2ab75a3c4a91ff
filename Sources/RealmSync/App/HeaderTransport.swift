// SPDX-License-Identifier: Apache-2.0

// Requests with headers of the app.

package import RealmSyncProtocol

/// Adds headers to all requests, unless these have them.
package struct HeaderTransport: HTTPTransport {
  private let transport: any HTTPTransport
  private let headers: @Sendable () -> [HTTPHeader]

  /// - Parameter headers: The headers to add, asked for with each request.
  package init(
    _ transport: any HTTPTransport, headers: @escaping @Sendable () -> [HTTPHeader]
  ) {
    self.transport = transport
    self.headers = headers
  }

  package func send(_ request: HTTPRequest) async throws(AppFailure) -> HTTPResponse {
    var request = request
    let present = Set(request.headers.map { $0.name.lowercased() })
    request.headers += headers().filter { !present.contains($0.name.lowercased()) }
    return try await transport.send(request)
  }
}
