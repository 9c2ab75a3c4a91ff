// SPDX-License-Identifier: Apache-2.0

// Why a request of a page has no answer.

#if Tools || Server
package import RealmFormats

/// A request without an answer.
package struct PageFailure: Error, Hashable, Sendable {
  /// The status of HTTP.
  package let status: Int
  package let message: String
  /// The reader's remedy; nil where the message has it.
  package let remedy: String?

  package init(_ status: Int, _ message: String, remedy: String? = nil) {
    self.status = status
    self.message = message
    self.remedy = remedy
  }

  /// The failure as a page gets it.
  package var json: JSONValue {
    var members = [JSONMember("error", .string(message))]
    if let remedy { members.append(JSONMember("remedy", .string(remedy))) }
    return .object(members)
  }
}
#endif
