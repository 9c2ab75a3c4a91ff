// SPDX-License-Identifier: Apache-2.0

// The errors of reading extended JSON.

/// The defect that makes JSON no extended JSON.
package enum BSONError: Error, Hashable, Sendable {
  case json(JSONError)
  /// The object of a key like `$oid` has not the value that the key needs, or other keys.
  case badValue(key: String)
}
