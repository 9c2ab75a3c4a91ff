// SPDX-License-Identifier: Apache-2.0

// Translates the delete rules of the program's classes into those of the tables.

import RealmTables

extension RealmClasses {
  /// The delete rules of the program's classes; nil if they declare none.
  func findDeleteRules() -> DeleteRules? {
    var rules: [TableKey: [DeleteRules.Rule]] = [:]
    var owned: [TableKey: [TableKey]] = [:]
    for info in all {
      for property in info.schema.properties {
        if property.shape.type == .object, let target = info.columns[property.index]?.targetTable,
          property.linkedSchema?.tableKind == .embedded
        {
          owned[info.tableKey, default: []].append(target)
        }
        guard let rule = property.deleteRule.engine, let source = info.source(of: property) else {
          continue
        }
        rules[info.tableKey, default: []].append(DeleteRules.Rule(source, rule))
      }
    }
    return rules.isEmpty ? nil : DeleteRules(rules, owned: owned)
  }
}

extension ClassInfo {
  /// The links or backlinks that lead to the objects that a property's rule applies to.
  func source(of property: ModelProperty) -> DeleteRules.Source? {
    guard property.shape.type == .linkingObjects else {
      return columns[property.index].map { .links($0.key) }
    }
    guard let origin = originClass(of: property), let name = property.originProperty,
      let link = origin.schema.property(named: name), let column = origin.columns[link.index]
    else { return nil }
    return .backlinks(origin.tableKey, column.key)
  }
}

extension DeleteRule {
  fileprivate var engine: LinkDeleteRule? {
    switch self {
    case .nullify: nil
    case .cascade: .cascade
    case .cascadeIfOrphaned: .cascadeIfOrphaned
    case .deny: .deny
    }
  }
}
