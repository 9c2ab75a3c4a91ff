// SPDX-License-Identifier: Apache-2.0

// What the program's classes declare about deleting, as the tables need it.

import RealmStorage
import RealmTables

extension RealmClasses {
  /// What the program's classes say about deleting; nil if they say nothing.
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
  /// Where the objects are that a rule of a property is about.
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
