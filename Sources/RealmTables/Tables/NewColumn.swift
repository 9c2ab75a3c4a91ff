// SPDX-License-Identifier: Apache-2.0

// A column that is about to be added.

/// What a new column is to be.
package struct NewColumn: Hashable, Sendable {
  package var name: String
  package var type: ColumnType
  package var collection: CollectionKind
  package var isNullable: Bool
  /// The table that links of the column lead to.
  package var target: TableKey?
  /// The index that the column gets.
  package var index: IndexKind?

  package init(
    named name: String, type: ColumnType, collection: CollectionKind = .none,
    isNullable: Bool = false, target: TableKey? = nil, index: IndexKind? = nil
  ) {
    self.index = index
    self.name = name
    self.type = type
    self.collection = collection
    self.isNullable = isNullable
    self.target = target
  }

  /// The attributes with those of the index, and the nullability that the format has for the
  /// declared one.
  var attributes: ColumnAttributes {
    var attributes = collection.attribute
    let isNullable =
      switch (type, collection) {
      case (.mixed, _), (.link, .none), (.link, .dictionary): true
      case (.link, _): false
      default: self.isNullable
      }
    if isNullable { attributes.insert(.nullable) }
    switch index {
    case .general: attributes.insert(.indexed)
    case .fullText: attributes.insert(.fullTextIndexed)
    case nil: break
    }
    return attributes
  }
}
