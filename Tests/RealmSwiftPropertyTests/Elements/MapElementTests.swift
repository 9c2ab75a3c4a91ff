// SPDX-License-Identifier: Apache-2.0

// Maps with values of every type.

import Foundation
import RealmStorage
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmSwift

struct MapElementTests {
  @Test(arguments: ElementCase.all + [ElementCase.pairs]) func unmanaged(
    _ element: ElementCase
  ) throws {
    try element.runMaps(Unmanaged())
  }

  @Test(.heavy, arguments: ElementCase.all + [ElementCase.pairs]) func managed(
    _ element: ElementCase
  ) throws {
    try element.runMaps(Managed())
  }

  private static let keys = ["", "a", "ab", "b", "é", "日本"]

  /// Random edits beside a dictionary.
  private static func edit<Element>(
    _ map: Map<String, Element>, _ model: inout [String: Element], _ values: [Element],
    _ random: inout SeededGenerator
  ) {
    guard let key = keys.randomElement(using: &random),
      let value = values.randomElement(using: &random)
    else { return }
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1:
      map.removeObject(for: key)
      model.removeValue(forKey: key)
    case 2:
      map[key] = nil
      model.removeValue(forKey: key)
    case 3 where model.count > 4:
      map.removeAll()
      model = [:]
    case 4:
      map[key] = .some(value)
      model.updateValue(value, forKey: key)
    default:
      map.updateValue(value, forKey: key)
      model.updateValue(value, forKey: key)
    }
  }

  private static func check<Element>(
    _ map: Map<String, Element>, _ model: [String: Element], _ name: String
  ) {
    expectEqual(map.keys, keys.filter { model.keys.contains($0) }, "\(name)")
    expectEqual(map.count, model.count)
    for key in keys { expectEqual(map[key], model[key], "\(name) \(key)") }
    for entry in map { expectEqual(.some(entry.value), model[entry.key], "\(name)") }
    expectEqual(map.values.count, model.count)
  }

  private struct Unmanaged: MapElementSuite {
    func run<Element>(
      _ type: ElementType<Element>, _ map: @Sendable (EveryMap) -> Map<String, Element>
    ) throws {
      var random = SeededGenerator(seed: 31)
      let values = type.values(nil)
      let map = map(EveryMap())
      var model: [String: Element] = [:]
      for _ in 0..<60 {
        edit(map, &model, values, &random)
        check(map, model, type.name)
      }
      expectTrue(map.realm == nil)
      expectFalse(map.isFrozen)
    }
  }

  private struct Managed: MapElementSuite {
    func run<Element>(
      _ type: ElementType<Element>, _ property: @Sendable (EveryMap) -> Map<String, Element>
    ) throws {
      let file = try TemporaryRealm.ofEveryElement()
      var texts: [String: String] = [:]
      do {
        let realm = try file.open()
        let (values, map) = try realm.write {
          (type.values(realm), property(realm.create(EveryMap.self)))
        }
        var random = SeededGenerator(seed: 32)
        var model: [String: Element] = [:]
        for _ in 0..<6 {
          try realm.write {
            for _ in 0..<10 { edit(map, &model, values, &random) }
            check(map, model, type.name)
          }
          check(map, model, type.name)
        }
        try realm.write {
          map.removeAll()
          for (key, value) in zip(keys, values) { map[key] = .some(value) }
        }
        if type.isScalar {
          expectEqual(Array(map.sorted(byKeyPath: "self")), Array(values.prefix(keys.count)))
        }
        let frozen = map.freeze()
        texts = Dictionary(uniqueKeysWithValues: map.map { ($0.key, type.text($0.value)) })
        try realm.write { map.removeObject(for: keys[0]) }
        expectEqual(frozen.count, texts.count)
        expectEqual(map.count, texts.count - 1)
        expectEqual(frozen[keys[0]].map { type.text($0) }, texts[keys[0]])
        expectEqual(frozen.thaw(), map)
        texts[keys[0]] = nil
        let reference = ThreadSafeReference(to: map)
        let there: [String: String]? = try DispatchQueue(label: "elements").sync {
          let resolved = try Realm(configuration: file.configuration).resolve(reference)
          return resolved.map { map in
            Dictionary(uniqueKeysWithValues: map.map { ($0.key, type.text($0.value)) })
          }
        }
        expectEqual(there, texts, "\(type.name)")
      }
      let realm = try file.open()
      let map = try property(#require(realm.objects(EveryMap.self).first))
      expectEqual(
        Dictionary(uniqueKeysWithValues: map.map { ($0.key, type.text($0.value)) }), texts,
        "\(type.name) reopened")
      #expect(try realm.core.file.check().isEmpty)
    }
  }
}
