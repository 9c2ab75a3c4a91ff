// SPDX-License-Identifier: Apache-2.0

// A header of a request or an answer.

/// A header field of HTTP.
package struct HTTPHeader: Hashable, Sendable {
  package var name: String
  package var value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}
