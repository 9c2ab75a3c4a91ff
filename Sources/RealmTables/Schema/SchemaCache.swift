// SPDX-License-Identifier: Apache-2.0

// Decoded schemas, shared by the versions of one file.

package import RealmStorage

/// Keeps the last decoded schema of each table.
///
/// A schema is recognised by the bytes it was decoded from, not by its ref: refs are reused once a
/// version is gone. Versions that differ in nothing but data therefore share one `TableSchema`.
package final class SchemaCache: Sendable {
  private struct Entry {
    var fingerprint: [UInt8]
    var schema: TableSchema
  }

  /// By the raw values of the tables' keys, as `VersionListener.Identifier`.
  private let entries = Locked<[Int: Entry]>([:])

  package init() {}

  /// The schema of a table with that top array.
  package func schema(
    of top: TableTop, name: String, in space: NodeSpace
  ) throws(StorageError) -> TableSchema {
    let decoder = try SchemaDecoder(top, name: name, in: space)
    let key = Int(top.key.rawValue)
    let known = entries.withLock { $0[key] }
    if let known, decoder.matches(known.fingerprint) { return known.schema }
    var schema = try decoder.decode()
    // The same columns may be stored with other widths.
    if let known, known.schema == schema { schema = known.schema }
    assert(schema.key == top.key, "the schema of another table")
    let entry = Entry(fingerprint: decoder.fingerprint(), schema: schema)
    entries.withLock { $0[key] = entry }
    return schema
  }
}
