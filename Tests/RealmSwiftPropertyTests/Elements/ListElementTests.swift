// SPDX-License-Identifier: Apache-2.0

// Lists of every element type.

import Foundation
import RealmStorage
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmSwift

struct ListElementTests {
  @Test(arguments: ElementCase.all + [ElementCase.pairs]) func unmanaged(
    _ element: ElementCase
  ) throws {
    try element.run(Unmanaged())
  }

  @Test(.heavy, arguments: ElementCase.all + [ElementCase.pairs]) func managed(
    _ element: ElementCase
  ) throws {
    try element.run(Managed())
  }

  /// Random edits beside an array.
  private static func edit<Element>(
    _ list: List<Element>, _ model: inout [Element], _ values: [Element],
    _ random: inout SeededGenerator
  ) {
    let index = Int.random(in: 0...model.count, using: &random)
    let other = Int.random(in: 0...model.count, using: &random)
    guard let value = values.randomElement(using: &random) else { return }
    let isElement = index < model.count
    switch Int.random(in: 0..<12, using: &random) {
    case 0 where isElement:
      list.remove(at: index)
      model.remove(at: index)
    case 1 where isElement:
      list[index] = value
      model[index] = value
    case 2 where isElement && other < model.count:
      list.move(from: index, to: other)
      model.insert(model.remove(at: index), at: other)
    case 3 where isElement && other < model.count:
      list.swapAt(index, other)
      model.swapAt(index, other)
    case 4:
      list.append(objectsIn: values)
      model += values
    case 5 where model.count > 12:
      list.removeAll()
      model = []
    default:
      list.insert(value, at: index)
      model.insert(value, at: index)
    }
  }

  private struct Unmanaged: ElementSuite {
    func run<Element>(_ type: ElementType<Element>) throws {
      var random = SeededGenerator(seed: 11)
      let values = type.values(nil)
      let list = type.list(EveryList())
      var model: [Element] = []
      for _ in 0..<60 {
        edit(list, &model, values, &random)
        expectEqual(Array(list), model)
      }
      for value in values { expectEqual(list.index(of: value), model.firstIndex(of: value)) }
      let copy = List<Element>()
      copy.append(objectsIn: list)
      expectEqual(copy, list)
      expectTrue(copy.realm == nil)
      expectFalse(list.isInvalidated)
      expectEqual(list.first, model.first)
      expectEqual(list.last, model.last)
    }
  }

  private struct Managed: ElementSuite {
    func run<Element>(_ type: ElementType<Element>) throws {
      let file = try TemporaryRealm.ofEveryElement()
      var model: [Element] = []
      do {
        let realm = try file.open()
        let (values, list) = try realm.write {
          (type.values(realm), type.list(realm.create(EveryList.self)))
        }
        var random = SeededGenerator(seed: 12)
        for round in 0..<6 {
          let before = model
          realm.beginWrite()
          for _ in 0..<12 { edit(list, &model, values, &random) }
          expectEqual(Array(list), model, "\(type.name)")
          if round == 2 {
            realm.cancelWrite()
            model = before
          } else {
            try realm.commitWrite()
          }
          expectEqual(Array(list), model, "\(type.name)")
        }
        try realm.write {
          list.append(objectsIn: values)
          model += values
        }
        try lookAt(list, model, values, type)
        try freezeAndHandOver(list, model, type, file.configuration)
      }
      let texts = model.map { type.text($0) }
      let realm = try file.open()
      let list = try type.list(#require(realm.objects(EveryList.self).first))
      expectEqual(list.map { type.text($0) }, texts, "\(type.name) reopened")
      #expect(try realm.core.file.check().isEmpty)
    }

    private func lookAt<Element>(
      _ list: List<Element>, _ model: [Element], _ values: [Element], _ type: ElementType<Element>
    ) throws {
      for value in values {
        expectEqual(list.index(of: value), model.firstIndex(of: value), "\(type.name)")
        expectTrue(list.contains(value))
      }
      expectEqual(list[1], model[1])
      expectEqual(list.first, model.first)
      expectEqual(list.last, model.last)
      expectEqual(list.count, model.count)
      expectEqual(list.reversed().first, model.last)
      guard type.isScalar else { return }
      let ranks = Dictionary(uniqueKeysWithValues: values.enumerated().map { ($1, $0) })
      let sorted = list.sorted(byKeyPath: "self").map { ranks[$0] }
      expectEqual(Array(sorted), model.map { ranks[$0] }.sorted { ($0 ?? 0) < ($1 ?? 0) })
      let reversed = list.sorted(byKeyPath: "self", ascending: false)
      expectEqual(reversed.first, values.last)
      expectEqual(reversed.last, values.first)
    }

    private func freezeAndHandOver<Element>(
      _ list: List<Element>, _ model: [Element], _ type: ElementType<Element>,
      _ configuration: Realm.Configuration
    ) throws {
      let texts = model.map { type.text($0) }
      let frozen = list.freeze()
      let reference = ThreadSafeReference(to: list)
      try list.realm?.write { list.remove(at: 0) }
      expectTrue(frozen.isFrozen)
      expectEqual(frozen.map { type.text($0) }, texts)
      expectEqual(list.count, model.count - 1)
      expectEqual(frozen.thaw(), list)
      let there: [String]? = try DispatchQueue(label: "elements").sync {
        let resolved = try Realm(configuration: configuration).resolve(reference)
        return resolved.map { $0.map { type.text($0) } }
      }
      expectEqual(there, Array(texts.dropFirst()))
      try list.realm?.write { list.insert(model[0], at: 0) }
    }
  }
}
