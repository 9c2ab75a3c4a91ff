// SPDX-License-Identifier: Apache-2.0

// Random programs over nested lists and dictionaries against plain values.

import Foundation
import RealmStorage
import RealmSwiftTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmSwift

struct NestedMixedModelTests {
  private struct Model: Equatable {
    var any = PlainMixed.none
    var list: [PlainMixed] = []
    var map: [String: PlainMixed] = [:]

    init() {}

    init(_ holder: MixedHolder) {
      any = PlainMixed(holder.any)
      list = holder.list.map { PlainMixed($0) }
      map = PlainMixed.entries(of: holder.map)
    }
  }

  @Test(arguments: [1, 2, 3]) func randomProgramsAgreeWithPlainValues(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let file = try TemporaryRealm.ofMixedHolders()
    var models = [Model(), Model(), Model()]
    do {
      let realm = try file.open()
      try realm.write { for id in 0..<3 { realm.create(MixedHolder.self, value: ["id": id]) } }
    }
    for round in 0..<12 {
      let realm = try file.open()
      let holders = (0..<3).compactMap { realm.object(ofType: MixedHolder.self, forPrimaryKey: $0) }
      let frozen = holders.map { $0.freeze() }
      let before = models
      realm.beginWrite()
      for _ in 0..<25 {
        let id = Int.random(in: 0..<3, using: &random)
        change(holders[id], &models[id], realm, &random)
      }
      expectEqual(holders.map { Model($0) }, models, "seed \(seed), round \(round)")
      if Int.random(in: 0..<5, using: &random) == 0 {
        realm.cancelWrite()
        models = before
      } else {
        try realm.commitWrite()
      }
      expectEqual(holders.map { Model($0) }, models, "seed \(seed), round \(round)")
      expectEqual(frozen.map { Model($0) }, before, "seed \(seed), round \(round): frozen")
      try check(realm, "seed \(seed), round \(round)")
    }
    try ReferenceReader.check(file.configuration)
  }

  private func check(_ realm: Realm, _ context: String) throws {
    let roots = try realm.core.readableTables().snapshot.roots
    let findings =
      try realm.core.file.check()
      + DatabaseCheck.run(
        tableNames: roots.tableNames, tables: roots.tables,
        in: realm.core.readableTables().snapshot.space)
    expectTrue(findings.isEmpty, "\(context): \(findings.prefix(3))")
  }

  private func change(
    _ holder: MixedHolder, _ model: inout Model, _ realm: Realm, _ random: inout SeededGenerator
  ) {
    switch Int.random(in: 0..<8, using: &random) {
    case 0:
      let value = PlainMixed.random(&random)
      holder.any = value.value(in: realm)
      model.any = value
    case 1, 2, 3: edit(holder.any, &model.any, realm, &random)
    case 4, 5: edit(holder.list, &model.list, realm, &random)
    default: edit(holder.map, &model.map, realm, &random)
    }
  }

  private func edit(
    _ value: AnyRealmValue, _ plain: inout PlainMixed, _ realm: Realm,
    _ random: inout SeededGenerator
  ) {
    switch (value, plain) {
    case (.list(let list), .list(var values)):
      edit(list, &values, realm, &random)
      plain = .list(values)
    case (.dictionary(let map), .map(var values)):
      edit(map, &values, realm, &random)
      plain = .map(values)
    default: expectEqual(PlainMixed(value), plain)
    }
  }

  private func edit(
    _ list: List<AnyRealmValue>, _ values: inout [PlainMixed], _ realm: Realm,
    _ random: inout SeededGenerator
  ) {
    let index = Int.random(in: 0...values.count, using: &random)
    if index < values.count, Int.random(in: 0..<2, using: &random) == 0 {
      return edit(list[index], &values[index], realm, &random)
    }
    let other = Int.random(in: 0...values.count, using: &random)
    let new = PlainMixed.random(&random, depth: 2)
    switch Int.random(in: 0..<9, using: &random) {
    case 0 where index < values.count:
      list.remove(at: index)
      values.remove(at: index)
    case 1 where index < values.count && other < values.count:
      list.move(from: index, to: other)
      values.insert(values.remove(at: index), at: other)
    case 2 where index < values.count && other < values.count:
      list.swapAt(index, other)
      values.swapAt(index, other)
    case 3 where index < values.count:
      list[index] = new.value(in: realm)
      values[index] = new
    case 4 where index < values.count:
      // A copy of what is here already.
      list.append(list[index])
      values.append(values[index])
    case 5:
      list.removeAll()
      values = []
    default:
      list.insert(new.value(in: realm), at: index)
      values.insert(new, at: index)
    }
  }

  private func edit(
    _ map: Map<String, AnyRealmValue>, _ values: inout [String: PlainMixed], _ realm: Realm,
    _ random: inout SeededGenerator
  ) {
    let key = ["", "a", "b", "日"].randomElement(using: &random) ?? ""
    if let value = map[key], var plain = values[key], Int.random(in: 0..<2, using: &random) == 0 {
      edit(value, &plain, realm, &random)
      values[key] = plain
      return
    }
    let new = PlainMixed.random(&random, depth: 2)
    switch Int.random(in: 0..<7, using: &random) {
    case 0:
      map.removeObject(for: key)
      values[key] = nil
    case 1:
      map.removeAll()
      values = [:]
    default:
      map[key] = new.value(in: realm)
      values[key] = new
    }
  }
}
