// SPDX-License-Identifier: Apache-2.0

// From the names of properties to those of columns.

import Foundation
import RealmQuery
import RealmSession

extension RealmCore {
  /// The class of this realm that is called `name`. Others of that name may be in the program.
  func schema(named name: some StringProtocol) -> ModelSchema? {
    classes.all.first { $0.schema.className == name }?.schema
  }
}

extension ClassInfo {
  /// The path that a key path to sort by stands for: `a.b`, `list.@avg.price`, `map[key]`.
  func sortPath(_ keyPath: String) -> PropertyPath {
    var names: [String] = []
    var parts: [Int: [CollectionPart]] = [:]
    var function: CollectionFunction?
    for component in keyPath.split(separator: ".", omittingEmptySubsequences: false) {
      if component.hasPrefix("@") {
        guard function == nil,
          let found = CollectionFunction(rawValue: String(component.dropFirst()))
        else {
          throwRealmException(
            "Cannot sort on key path '\(keyPath)': the operator '\(component)' is not supported.")
        }
        function = found
        continue
      }
      guard let bracket = component.firstIndex(of: "["), component.hasSuffix("]") else {
        names.append(String(component))
        continue
      }
      let inside = component[component.index(after: bracket)...].dropLast()
      names.append(String(component[..<bracket]))
      parts[names.count - 1] = [
        .value(of: inside.trimmingCharacters(in: CharacterSet(charactersIn: "'\"")))
      ]
    }
    return PropertyPath(columnNames(names), function: function, parts: parts)
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
