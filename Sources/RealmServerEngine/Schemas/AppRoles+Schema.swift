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
      for role in roles(ofClass: declared.name) { misfits += Self.misfits(of: role, in: declared) }
    }
    return misfits
  }

  private static func misfits(of role: Role, in declared: DeclaredSchema.Class) -> [String] {
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
    where rule.read == false && field == declared.primaryKey {
      misfits.append("\(name) hides \(field), the primary key: it is read with every object.")
    }
    for field in role.fields.keys.sorted()
    where !declared.properties.contains(where: { $0.name == field }) {
      misfits.append("\(name) has a rule for \(field), which the class does not have.")
    }
    return misfits
  }
}
