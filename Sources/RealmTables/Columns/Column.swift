// SPDX-License-Identifier: Apache-2.0

// One column of a table as the schema describes it.

/// A column of a table in one version of the file.
@frozen @usableFromInline
package struct Column: Hashable, Sendable {
  @usableFromInline package let key: ColumnKey
  /// Empty for backlink columns.
  @usableFromInline package let name: String
  @usableFromInline package let type: ColumnType
  @usableFromInline package let collection: CollectionKind
  /// Whether a value, or an element of the collection, may be null.
  @usableFromInline package let isNullable: Bool
  /// Whether the column carries the Indexed attribute. A primary key has a search index without it.
  @usableFromInline package let isIndexed: Bool
  @usableFromInline package let isFullText: Bool
  @usableFromInline package let isPrimaryKey: Bool
  /// Whether the table keeps any index for the column, general or full text.
  @usableFromInline package let hasIndex: Bool
  /// Whether the clusters hold positions in a leaf of distinct strings.
  @usableFromInline package let isEnumerated: Bool
  /// Whether a dictionary has integer keys; no SDK makes such columns.
  @usableFromInline package let hasIntegerKeys: Bool
  /// The table that links lead to; for a backlink column the table they come from.
  @usableFromInline package let targetTable: TableKey?
  /// The backlink column of a link column, and the other way round.
  @usableFromInline package let oppositeColumn: ColumnKey?
  /// Position in the spec.
  @usableFromInline package let specIndex: Int
  /// The layout of the column's leaves.
  @usableFromInline package let leafKind: LeafKind

  @inlinable @inline(__always)
  package var leafIndex: Int { key.leafIndex }

  /// The kind of index that the column declares; nil if none, as for most primary keys.
  package var indexKind: IndexKind? { isFullText ? .fullText : isIndexed ? .general : nil }

  /// Whether the column's values can hold links (of which the targets keep backlinks).
  package var canLink: Bool { type == .link || type == .mixed || type == .typedLink }
}

/// The part of a value that a column's search index finds objects by.
package enum IndexKind: Sendable {
  /// The whole value.
  case general
  /// The words of a text.
  case fullText
}
