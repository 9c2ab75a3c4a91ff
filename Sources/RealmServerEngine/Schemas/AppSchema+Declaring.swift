// SPDX-License-Identifier: Apache-2.0

// The classes that a realm lacks yet, for a server that writes before any device has declared them.

import RealmDeclarations
import RealmReplication
package import RealmStorage
package import RealmSyncProtocol
package import RealmTables

extension AppSchema {
  /// The declarations of a class, and of those that its properties lead to, as far as a realm lacks
  /// them; empty if it has them, or if the app has no such class.
  package func declarations(
    ofClass name: String, missingIn group: some TableReader
  ) throws(StorageError) -> Changeset {
    try declarations(ofClasses: [name], missingIn: group)
  }

  /// The same of all classes.
  func declarations(missingIn group: some TableReader) throws(StorageError) -> Changeset {
    try declarations(ofClasses: declared.classes.map(\.name), missingIn: group)
  }

  /// The same of some classes, in the order of their names here.
  func declarations(
    ofClasses names: [String], missingIn group: some TableReader
  ) throws(StorageError) -> Changeset {
    let classes = Dictionary(declared.classes.map { ($0.name, $0) }) { first, _ in first }
    var present: [String: TableSchema] = [:]
    for schema in try group.classSchemas() { present[schema.displayName] = schema }
    var needed: [DeclaredSchema.Class] = []
    var waiting = Array(names.reversed())
    var known: Set<String> = []
    while let next = waiting.popLast() {
      guard known.insert(next).inserted, let declared = classes[next] else { continue }
      needed.append(declared)
      waiting += declared.properties.compactMap(\.target)
    }
    var changeset = Changeset()
    for declared in needed where present[declared.name] == nil {
      let step = Self.table(declared, &changeset)
      changeset.append(.addTable(step))
    }
    for declared in needed {
      for property in declared.properties where property.name != declared.primaryKey {
        if present[declared.name]?.column(named: property.name) != nil { continue }
        let step = Self.column(property, declared, &changeset)
        changeset.append(.addColumn(step))
      }
    }
    return changeset
  }

  private static func table(
    _ declared: DeclaredSchema.Class, _ changeset: inout Changeset
  ) -> Instruction.AddTable {
    let table = changeset.intern(declared.name)
    let kind: ChangesetTableKind =
      switch declared.kind {
      case .topLevel: .topLevel
      case .embedded: .embedded
      case .asymmetric: .asymmetric
      }
    guard kind != .embedded else { return .init(table: table, kind: kind, key: nil) }
    let key = declared.properties.first { $0.name == declared.primaryKey }
    return .init(
      table: table, kind: kind,
      key: .init(
        field: changeset.intern(key?.name ?? ""), type: key?.type.payloadType ?? .globalKey,
        isNullable: key?.isNullable ?? false))
  }

  private static func column(
    _ property: DeclaredSchema.Property, _ owner: DeclaredSchema.Class,
    _ changeset: inout Changeset
  ) -> Instruction.AddColumn {
    let table = changeset.intern(owner.name)
    let field = changeset.intern(property.name)
    let type = property.type.payloadType
    return .init(
      table: table, field: field, type: type, isNullable: isNullable(property),
      collection: property.collection.onWire,
      linkTarget: type == .link ? changeset.intern(property.target ?? "") : nil)
  }

  /// What devices declare, whatever an operator has written: mixed values and single links may be
  /// missing on all of them, links in lists and sets on none.
  private static func isNullable(_ property: DeclaredSchema.Property) -> Bool {
    switch property.type {
    case .mixed: true
    case .link: property.collection == .none || property.collection == .dictionary
    default: property.isNullable
    }
  }
}
