// SPDX-License-Identifier: Apache-2.0

// The types of columns and collections as instructions name them, and the other way round.

package import RealmSyncProtocol
package import RealmTables

extension Column {
  /// The type in instructions; null for a mixed column.
  package var payloadType: PayloadType { type.payloadType }
}

extension ColumnType {
  /// The type of the payloads with the values of such a column; that of null for mixed ones.
  package var payloadType: PayloadType {
    switch self {
    case .int: .int
    case .bool: .bool
    case .string: .string
    case .binary: .binary
    case .mixed: .null
    case .timestamp: .timestamp
    case .float: .float
    case .double: .double
    case .decimal: .decimal
    case .link, .typedLink, .backlink: .link
    case .objectId: .objectID
    case .uuid: .uuid
    }
  }
}

extension PayloadType {
  /// The type of a column whose values are payloads of this type; nil if there are none.
  package var columnType: ColumnType? {
    switch self {
    case .null: .mixed
    case .int: .int
    case .bool: .bool
    case .string: .string
    case .binary: .binary
    case .timestamp: .timestamp
    case .float: .float
    case .double: .double
    case .decimal: .decimal
    case .link: .link
    case .objectID: .objectId
    case .uuid: .uuid
    case .globalKey, .objectValue, .dictionary, .erased, .list, .set: nil
    }
  }
}

extension CollectionKind {
  /// The kind as instructions name it.
  package var onWire: ChangesetCollectionKind {
    switch self {
    case .none: .single
    case .list: .list
    case .set: .set
    case .dictionary: .dictionary
    }
  }
}

extension ChangesetCollectionKind {
  /// The kind as tables name it.
  package var stored: CollectionKind {
    switch self {
    case .single: .none
    case .list: .list
    case .set: .set
    case .dictionary: .dictionary
    }
  }
}

extension ChangesetTableKind {
  /// The kind as tables name it.
  package var stored: TableKind {
    switch self {
    case .topLevel: .topLevel
    case .embedded: .embedded
    case .asymmetric: .asymmetric
    }
  }
}
