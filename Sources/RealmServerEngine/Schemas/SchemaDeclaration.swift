// SPDX-License-Identifier: Apache-2.0

// Classes and properties as uploads declare them.

package import RealmDeclarations
import RealmReplication
package import RealmSyncProtocol
import RealmTables

/// A class or a property of an upload.
package enum SchemaDeclaration: Hashable, Sendable {
  /// A class with its primary key, if it has one.
  case type(DeclaredSchema.Class)
  /// A property of the named class.
  case property(DeclaredSchema.Property, of: String)

  /// The declaration of an instruction; nil if it declares nothing.
  package init?(_ instruction: Instruction, in changeset: Changeset) {
    switch instruction {
    case .addTable(let step): self = .type(Self.declaredClass(step, changeset))
    case .addColumn(let step):
      guard let property = Self.property(step, changeset) else { return nil }
      self = property
    default: return nil
    }
  }

  /// The declarations of a changeset, in their order.
  package static func all(in changeset: Changeset) -> [SchemaDeclaration] {
    changeset.instructions.compactMap { SchemaDeclaration($0, in: changeset) }
  }

  private static func declaredClass(
    _ step: Instruction.AddTable, _ changeset: Changeset
  ) -> DeclaredSchema.Class {
    var declared = DeclaredSchema.Class(
      name: changeset.text(of: step.table), kind: step.kind.stored, primaryKey: nil)
    if let key = step.key, key.type != .globalKey, let type = key.type.columnType {
      let name = changeset.text(of: key.field)
      declared.primaryKey = name
      declared.properties = [
        DeclaredSchema.Property(name: name, type: type, isNullable: key.isNullable)
      ]
    }
    return declared
  }

  /// Nil for a type without properties; the changeset cannot be carried out.
  private static func property(
    _ step: Instruction.AddColumn, _ changeset: Changeset
  ) -> SchemaDeclaration? {
    guard var type = step.type.columnType else { return nil }
    var target = step.linkTarget.map { changeset.text(of: $0) }
    // A link to any class is a kind of mixed value.
    if target == "" { (type, target) = (.mixed, nil) }
    return .property(
      DeclaredSchema.Property(
        name: changeset.text(of: step.field), type: type, collection: step.collection.stored,
        isNullable: step.isNullable, target: target),
      of: changeset.text(of: step.table))
  }

  /// The declared or extended class.
  package var className: String {
    switch self {
    case .type(let declared): declared.name
    case .property(_, let owner): owner
    }
  }

  /// The class, or the property with its class.
  package var name: String {
    switch self {
    case .type(let declared): declared.name
    case .property(let property, let owner): "\(owner).\(property.name)"
    }
  }
}

extension DeclaredSchema.Property {
  /// Whether both can be the same property of all devices. Links and mixed values may always be
  /// missing, whatever their declarations say.
  package func fits(_ other: DeclaredSchema.Property) -> Bool {
    type == other.type && collection == other.collection && target == other.target
      && (isNullable == other.isNullable || type == .link || type == .mixed)
  }
}
