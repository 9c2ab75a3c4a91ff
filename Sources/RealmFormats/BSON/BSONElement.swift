// SPDX-License-Identifier: Apache-2.0

// A key and its value in a BSON document.

/// An element of a document.
package struct BSONElement: Hashable, Sendable {
  package var key: String
  package var value: BSONValue

  package init(_ key: String, _ value: BSONValue) {
    self.key = key
    self.value = value
  }
}
