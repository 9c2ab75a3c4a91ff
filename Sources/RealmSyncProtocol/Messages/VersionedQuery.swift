// SPDX-License-Identifier: Apache-2.0

// A subscription set as a message carries it.

/// The queries of a subscription set, with its number.
package struct VersionedQuery: Hashable, Sendable {
  package var version: UInt64
  /// The text of a `QueryDocument`, or another one: only a server finds that out, and it has an
  /// answer of its own for it.
  package var text: String

  package init(version: UInt64, text: String) {
    self.version = version
    self.text = text
  }

  package init(version: UInt64, document: QueryDocument) {
    self.init(version: version, text: document.text)
  }
}
