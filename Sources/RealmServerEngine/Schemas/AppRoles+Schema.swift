// SPDX-License-Identifier: Apache-2.0

// Roles compared with the classes of their app: a filter that does not fit its class admits
// nothing, and an operator should know this before the users do.

import RealmDeclarations
import RealmTables

extension AppRoles {
  /// What the roles ask of classes that these do not have, in sentences.
  package func misfits(in schema: AppSchema) -> [String] {
    let classes = schema.declared.classes.filter { $0.kind != .embedded }
    let known = Set(classes.map(\.name))
    var misfits = self.classes.keys.filter { !known.contains($0) }.sorted()
      .map { "The roles of \($0) are of no class of the schema." }
    for declared in classes {
      for role in roles(ofClass: declared.name) {
        misfits += Self.misfits(of: role, in: declared, schema.declared)
      }
    }
    return misfits
  }

  private static func misfits(
    of role: Role, in declared: DeclaredSchema.Class, _ schema: DeclaredSchema
  ) -> [String] {
    let name = "The role \"\(role.name)\" of \(declared.name)"
    var misfits: [String] = []
    for field in role.readFilter.fieldNames.union(role.writeFilter.fieldNames).sorted() {
      let property = declared.properties.first { $0.name == field }
      guard property?.type.isQueryable != true || property?.collection == .dictionary else {
        continue
      }
      let reason = property == nil ? "the class does not have" : "a filter cannot ask for"
      misfits.append(
        "\(name) has a filter with \(field), which \(reason): this holds for no object.")
    }
    for (field, rule) in role.fields.sorted(by: { $0.key < $1.key })
    where rule.access.read == false && field == declared.primaryKey {
      misfits.append("\(name) hides \(field), the primary key: it is read with every object.")
    }
    return misfits + Self.misfits(of: role.fields, in: declared, schema, name, "")
  }

  /// The rules of properties that a class, or the class of embedded objects, does not have.
  private static func misfits(
    of fields: [String: Role.FieldRule], in declared: DeclaredSchema.Class,
    _ schema: DeclaredSchema, _ role: String, _ prefix: String
  ) -> [String] {
    fields.sorted { $0.key < $1.key }.flatMap { (field, rule) -> [String] in
      let path = prefix + field
      guard let property = declared.properties.first(where: { $0.name == field }) else {
        return ["\(role) has a rule for \(path), which the class does not have."]
      }
      guard rule.isNested else { return [] }
      let target = schema.classes.first { $0.name == property.target && $0.kind == .embedded }
      guard let target else {
        return ["\(role) has rules within \(path), which has no embedded objects."]
      }
      return misfits(of: rule.fields, in: target, schema, role, path + ".")
    }
  }
}
