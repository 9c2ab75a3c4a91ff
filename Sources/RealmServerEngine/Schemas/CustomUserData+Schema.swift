// SPDX-License-Identifier: Apache-2.0

// The class with the custom data of users, compared with the classes of its app.

import RealmDeclarations
import RealmTables

extension CustomUserData {
  /// The defects of the class, in sentences: with them no user has custom data.
  package func misfits(in schema: AppSchema) -> [String] {
    let known = schema.declared.classes.first { $0.name == className && $0.kind == .topLevel }
    guard let known else {
      return ["The custom data of users is of \(className), which is no class of the schema."]
    }
    guard let property = known.properties.first(where: { $0.name == userField }) else {
      return [
        "The custom data of users is found by \(className).\(userField), which the class does not "
          + "have."
      ]
    }
    switch (property.type, property.collection) {
    case (.string, .none), (.objectId, .none): return []
    default:
      return [
        "The custom data of users is found by \(className).\(userField), which is no text and no "
          + "object id."
      ]
    }
  }
}
