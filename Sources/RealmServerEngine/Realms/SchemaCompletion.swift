// SPDX-License-Identifier: Apache-2.0

// Declarations that a realm lacks although the schema of its app has them.
//
// A device declares its classes once. What it declared as a reader, and the schema did not have, is
// dropped; should the operator add it to the schema, and the user get the right to write, the
// device uses classes that its realm does not have.

import RealmDeclarations
import RealmQuery
import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmTables

/// Finds the missing declarations of an upload.
struct SchemaCompletion {
  private let schema: DeclaredSchema
  private let present: StoredSchema
  private var changeset = Changeset()
  private var properties: [(property: DeclaredSchema.Property, owner: String)] = []
  private var known: Set<String> = []

  /// The declarations of the classes that an upload names, as far as the schema has them and the
  /// realm does not; nil if the realm lacks none of them.
  static func declarations(
    for entries: some Sequence<ReceivedEntry>, _ schema: AppSchema, in objects: any TableReader
  ) throws(StorageError) -> Changeset? {
    var completion = SchemaCompletion(schema.declared, try StoredSchema(objects))
    for named in entries.lazy.map(\.changeset) {
      for instruction in named.instructions {
        completion.addClass(named.text(of: instruction.table))
        if case .link(let table, _) = instruction.payload {
          completion.addClass(named.text(of: table))
        }
      }
    }
    completion.addProperties()
    return completion.changeset.instructions.isEmpty ? nil : completion.changeset
  }

  private init(_ schema: DeclaredSchema, _ present: StoredSchema) {
    self.schema = schema
    self.present = present
  }

  /// Adds a class and those behind its links.
  private mutating func addClass(_ name: String) {
    guard known.insert(name).inserted, let declared = schema[name] else { return }
    let table = present[name]
    if table == nil { addTable(declared) }
    for property in declared.properties where property.name != declared.primaryKey {
      if table?.column(named: property.name) == nil { properties.append((property, name)) }
      if let target = property.target { addClass(target) }
    }
  }

  private mutating func addTable(_ declared: DeclaredSchema.Class) {
    let table = changeset.intern(declared.name)
    guard declared.kind != .embedded else {
      return changeset.append(.addTable(.init(table: table, kind: .embedded, key: nil)))
    }
    let key = declared.properties.first { $0.name == declared.primaryKey }
    let column = Instruction.KeyColumn(
      field: changeset.intern(key?.name ?? ""), type: key?.type.payloadType ?? .globalKey,
      isNullable: key?.isNullable ?? false)
    changeset.append(
      .addTable(
        .init(
          table: table, kind: declared.kind == .asymmetric ? .asymmetric : .topLevel, key: column)))
  }

  /// Adds the properties, once all classes are there.
  private mutating func addProperties() {
    for (property, owner) in properties {
      let (table, field) = (changeset.intern(owner), changeset.intern(property.name))
      let isSingle = property.collection != .list && property.collection != .set
      changeset.append(
        .addColumn(
          .init(
            table: table, field: field, type: property.type.payloadType,
            // Single links and mixed values may be missing on all devices.
            isNullable: property.isNullable || property.type == .mixed
              || property.type == .link && isSingle,
            collection: property.collection.onWire,
            linkTarget: property.type == .link ? changeset.intern(property.target ?? "") : nil)))
    }
  }
}
