// SPDX-License-Identifier: Apache-2.0

// Conditions by the names of a file, for readers without the classes of the program.

import RealmTables

extension QueryBinder {
  /// The same condition with the names of columns in its paths, and with the ends of other links in
  /// place of properties without a column.
  ///
  /// Paths that lead nowhere stay as they are.
  package func named(_ predicate: Predicate) -> Predicate {
    predicate.replacing { comparison in
      var comparison = comparison
      comparison.left = named(comparison.left)
      comparison.right = named(comparison.right)
      return comparison
    } alone: {
      named($0)
    }
  }

  private func named(_ operand: Operand) -> Operand {
    switch operand {
    case .path(let path): return .path(named(path))
    case .matchCount(let collection, let condition):
      guard let path = try? self.path(collection) else { return operand }
      return .matchCount(named(collection), around(path).named(condition))
    case .arithmetic(let operation, let left, let right):
      return .arithmetic(operation, named(left), named(right))
    case .list(let elements): return .list(elements.map { named($0) })
    case .condition(let condition): return .condition(named(condition))
    case .value, .longNumber, .object, .region, .constant, .argument: return operand
    }
  }

  private func named(_ written: PropertyPath) -> PropertyPath {
    let path = placed(written)
    guard path.level < owners.count else { return written }
    var owner = owners[owners.count - 1 - path.level]
    let components = path.components.map { component -> PropertyPath.Component in
      switch component {
      case .property(let name, let isMany):
        let property = owner?.queryProperty(named: name)
        owner = property?.target
        guard let property else { return component }
        return links(property.columnName) ?? .property(property.columnName, isMany: isMany)
      case .links(let origin, let name):
        owner = schema.queryClass(named: origin)
        return .links(origin, owner?.queryProperty(named: name)?.columnName ?? name)
      case .function, .part, .argumentPart, .unknownPart: return component
      }
    }
    guard components != path.components else { return written }
    var result = path.replacing(components)
    // The element may have a column of that name, too.
    if path.level == 0 { result.isBare = false }
    return result
  }

  /// The component for a property without a column; nil for other columns.
  private func links(_ columnName: String) -> PropertyPath.Component? {
    let parts = columnName.split(separator: ".", maxSplits: 2)
    guard parts.count == 3, parts[0] == "@links" else { return nil }
    return .links(String(parts[1]), String(parts[2]))
  }
}
