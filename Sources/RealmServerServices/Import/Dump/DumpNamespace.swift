// SPDX-License-Identifier: Apache-2.0

// The names of collections.

#if Server
/// A collection of a database.
package struct DumpNamespace: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// Nil where a file does not say it.
  package let database: String?
  package let collection: String

  package init(_ database: String?, _ collection: String) {
    self.database = database
    self.collection = collection
  }

  package var description: String { database.map { "\($0).\(collection)" } ?? collection }

  package static func < (left: DumpNamespace, right: DumpNamespace) -> Bool {
    (left.database ?? "", left.collection) < (right.database ?? "", right.collection)
  }
}
#endif
