// SPDX-License-Identifier: Apache-2.0

// A key and its value in a JSON object.

/// A member of a JSON object.
package struct JSONMember: Hashable, Sendable {
  package var key: String
  package var value: JSONValue

  package init(_ key: String, _ value: JSONValue) {
    self.key = key
    self.value = value
  }
}
