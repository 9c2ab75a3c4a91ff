// SPDX-License-Identifier: Apache-2.0

// From the names of properties to those of columns.

extension RealmCore {
  /// The class of this realm that is called `name`. Others of that name may be in the program.
  func schema(named name: some StringProtocol) -> ModelSchema? {
    allClasses.first { $0.schema.className == name }?.schema
  }
}

extension ClassInfo {
  /// The names of the columns on a key path of property names.
  func columnPath(of keyPath: String) -> [String] {
    columnNames(keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init))
  }

  /// The names of the columns of properties, each of the class that the one before leads to.
  ///
  /// Properties that have no column, since they show the other end of links, get the name by which
  /// queries find that end.
  func columnNames(_ names: [String]) -> [String] {
    var owner: ModelSchema? = schema
    return names.map { name in
      let property = owner?.property(named: name)
      owner = property?.linkedSchema
      if let origin = property?.originProperty, let owner {
        let link = owner.property(named: origin)?.columnName ?? origin
        return "@links.\(owner.className).\(link)"
      }
      if property == nil, name.hasPrefix("@links.") {
        // The path goes on with the class whose links these are.
        let origin = name.split(separator: ".", maxSplits: 2).dropFirst().first
        owner = origin.flatMap(core.schema(named:))
      }
      return property?.columnName ?? name
    }
  }
}
