// SPDX-License-Identifier: Apache-2.0

// An app server's answer.

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
