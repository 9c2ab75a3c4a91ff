// SPDX-License-Identifier: Apache-2.0

// Sending requests.

/// Sends requests to app servers.
package protocol HTTPTransport: Sendable {
  /// Sends a request. An answer of any status is an answer.
  ///
  /// - Throws: `AppFailure.transport`.
  func send(_ request: HTTPRequest) async throws(AppFailure) -> HTTPResponse
}
