// SPDX-License-Identifier: Apache-2.0

// The calls of a recorder as values.

import RealmStorage

@testable import RealmTables

/// One call of a `ChangeRecorder`.
enum RecordedWrite: Equatable {
  struct Object: Hashable {
    let table: TableKey
    let key: ObjectKey
  }

  struct Place: Equatable {
    let object: Object
    let column: String
    var path: [PathStep] = []
  }

  case addTable(String, TableKey, TableKind)
  case eraseTable(TableKey)
  case addColumn(Column, TableKey)
  case eraseColumn(String, TableKey)
  case setPrimaryKey(String?, TableKey)
  case create(Object, primaryKey: TableValue?)
  case erase(Object)
  case set(TableValue, Place, isDefault: Bool)
  case add(Int64, Place)
  case insert(TableValue, at: Int, Place, priorSize: Int)
  case replace(TableValue, at: Int, Place, priorSize: Int)
  case move(from: Int, to: Int, Place, priorSize: Int)
  case remove(at: Int, Place, priorSize: Int)
  case setEntry(TableValue, for: String, Place)
  case eraseEntry(for: String, Place)
  case insertMember(TableValue, Place)
  case eraseMember(TableValue, Place)
  case clear(Place, CollectionKind)
}
