// SPDX-License-Identifier: Apache-2.0

// How an import behaves.

#if Server
/// The options of an import.
package struct ImportOptions: Hashable, Sendable {
  /// Whether the first document without a fit to the schema ends the import.
  package var isStrict = false
  /// Whether unreadable documents are left out, too.
  package var skipsDamaged = false
  /// A transaction ends with the document at which it is this large.
  package var groupByteCount = 8 << 20
  /// The most documents of a transaction.
  package var groupCount = 20_000
  /// The most open realms at a time.
  package var openCount = 32

  package init() {}
}
#endif
