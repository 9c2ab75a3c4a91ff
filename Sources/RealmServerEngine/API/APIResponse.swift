// SPDX-License-Identifier: Apache-2.0

// An answer as the listener sends it.

package import RealmFormats

/// An answer of HTTP.
package struct APIResponse: Hashable, Sendable {
  package var status: Int
  package var contentType: String
  package var body: [UInt8]

  package init(status: Int = 200, contentType: String = Self.json, body: [UInt8] = []) {
    self.status = status
    self.contentType = contentType
    self.body = body
  }

  /// The only content type under which clients read an error in the body (P1 A.4).
  package static let json = "application/json"

  /// The content type of results with the look of errors: clients do not search these for any (P1
  /// A.4).
  package static let uninspectedJSON = "application/json; charset=utf-8"

  package init(_ json: JSONValue, status: Int = 200) {
    self.init(status: status, body: JSONWriter.bytes(json))
  }
}
