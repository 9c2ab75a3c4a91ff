// SPDX-License-Identifier: Apache-2.0

// Classes and properties by the names that a person writes.

#if Tools
package import RealmQuery
package import RealmTables

extension StoredSchema {
  /// The class of a name.
  ///
  /// - Throws: `ToolFailure` with the existing names.
  package func require(_ name: String) throws(ToolFailure) -> TableSchema {
    if let found = self[name] { return found }
    let names = all.map(\.displayName)
    let alike = AlikeName.closest(to: name, among: names)
    throw .usage(
      "There is no class '\(name)'. "
        + (names.isEmpty
          ? "The file has no classes."
          : alike.map { "Did you mean '\($0)'?" }
            ?? "The classes are: \(names.joined(separator: ", "))."))
  }
}

extension TableSchema {
  /// The property of a name.
  ///
  /// - Throws: `ToolFailure` with the existing names.
  func require(_ name: String) throws(ToolFailure) -> Column {
    guard let column = column(named: name) else {
      let names = columns.map(\.name)
      let alike = AlikeName.closest(to: name, among: names).map { "Did you mean '\($0)'? " }
      throw .usage(
        "'\(displayName)' has no property '\(name)'. \(alike ?? "")The properties are: "
          + names.joined(separator: ", ") + ".")
    }
    return column
  }
}
#endif
