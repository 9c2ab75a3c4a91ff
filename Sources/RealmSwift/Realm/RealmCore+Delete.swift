// SPDX-License-Identifier: Apache-2.0

// Deleting objects, with what goes with them.
//
// Invariants:
// 1. What can be checked is checked before anything is deleted.

import RealmStorage
import RealmTables

extension RealmCore {
  /// Deletes objects of this realm; deleting none is allowed everywhere.
  func delete(_ objects: [ObjectBase]) {
    if objects.isEmpty { return }
    requireWriteForObjects()
    var links: [StoredLink] = []
    links.reserveCapacity(objects.count)
    for object in objects {
      guard object._owner === self, let info = object._info else {
        throwRealmException("Can only delete an object from the Realm it belongs to.")
      }
      object.requireExisting(info)
      links.append(StoredLink(table: info.tableKey, key: object._key))
    }
    delete(links)
    for object in objects {
      // The key may be given to another object one day; this one stays deleted.
      object._generation = HotState.noGeneration
      object._row = nil
    }
  }

  /// Deletes objects, which exist.
  func delete(_ keys: some Sequence<ObjectKey>, _ info: ClassInfo) {
    delete(keys.map { StoredLink(table: info.tableKey, key: $0) })
  }

  private func delete(_ objects: [StoredLink]) {
    do throws(StorageError) {
      if let denial = try transaction?.delete(objects) { refuse(denial) }
    } catch { stop(error) }
    didMutate()
  }

  /// Deletes all objects of the realm's classes. No rule is asked: nothing stays.
  func deleteAll() {
    requireWriteForObjects()
    do throws(StorageError) {
      for info in allClasses {
        try info.requireWritableTable().deleteAll()
        didMutate()
      }
    } catch { stop(error) }
  }

  /// Ends the process because a rule does not allow a deletion.
  func refuse(_ denial: DeniedDeletion) -> Never {
    let info = info(ofTable: denial.object.table)
    let property = info?.schema.properties.first { info?.source(of: $0) == denial.source }
    throwRealmException(
      "Cannot delete an object of type '\(info?.schema.className ?? "")': its property "
        + "'\(property?.name ?? "")' is declared with onDelete: .deny, and is not empty.")
  }

  /// What the program's classes say about deleting; nil if they say nothing.
  func findDeleteRules() -> DeleteRules? {
    var rules: [TableKey: [DeleteRules.Rule]] = [:]
    var owned: [TableKey: [TableKey]] = [:]
    for info in allClasses {
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
  fileprivate func source(of property: ModelProperty) -> DeleteRules.Source? {
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
