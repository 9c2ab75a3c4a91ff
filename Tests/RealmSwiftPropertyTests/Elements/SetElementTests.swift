// SPDX-License-Identifier: Apache-2.0

// Sets of every element type.

import Foundation
import RealmStorage
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmSwift

struct SetElementTests {
  @Test(arguments: ElementCase.all) func unmanaged(_ element: ElementCase) throws {
    try element.run(Unmanaged())
  }

  @Test(.heavy, arguments: ElementCase.all) func managed(_ element: ElementCase) throws {
    try element.run(Managed())
  }

  /// Random edits beside the positions of the values that are in the set.
  private static func edit<Element>(
    _ set: MutableSet<Element>, _ model: inout Set<Int>, _ values: [Element],
    _ random: inout SeededGenerator
  ) {
    let index = Int.random(in: values.indices, using: &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1:
      set.remove(values[index])
      model.remove(index)
    case 2:
      set.removeAll()
      model = []
    case 3:
      set.insert(objectsIn: values.prefix(index))
      model.formUnion(0..<index)
    default:
      set.insert(values[index])
      model.insert(index)
    }
  }

  private static func check<Element>(
    _ set: MutableSet<Element>, _ model: Set<Int>, _ values: [Element], _ name: String
  ) {
    expectEqual(set.count, model.count, "\(name)")
    expectEqual(Set(set), Set(model.map { values[$0] }), "\(name)")
    for (index, value) in values.enumerated() {
      expectEqual(set.contains(value), model.contains(index), "\(name) \(value)")
    }
  }

  private struct Unmanaged: ElementSuite {
    func run<Element>(_ type: ElementType<Element>) throws {
      var random = SeededGenerator(seed: 21)
      let values = type.values(nil)
      let set = type.set(EverySet())
      var model: Set<Int> = []
      for _ in 0..<60 {
        edit(set, &model, values, &random)
        check(set, model, values, type.name)
      }
      algebra(set, values)
    }
  }

  private struct Managed: ElementSuite {
    func run<Element>(_ type: ElementType<Element>) throws {
      let file = try TemporaryRealm.ofEveryElement()
      var texts: [String] = []
      do {
        let realm = try file.open()
        let (values, set, other) = try realm.write {
          (
            type.values(realm), type.set(realm.create(EverySet.self)),
            type.set(realm.create(EverySet.self))
          )
        }
        var random = SeededGenerator(seed: 22)
        var model: Set<Int> = []
        for _ in 0..<6 {
          try realm.write {
            for _ in 0..<8 { edit(set, &model, values, &random) }
          }
          check(set, model, values, type.name)
          // Values stand in the order of the database.
          if type.isScalar { expectEqual(Array(set), model.sorted().map { values[$0] }) }
        }
        try realm.write {
          other.insert(objectsIn: values)
          algebra(other, values)
          set.removeAll()
          set.formUnion(other)
        }
        let frozen = set.freeze()
        try realm.write { set.remove(values[0]) }
        #expect(frozen.contains { type.text($0) == type.text(values[0]) })
        expectEqual(frozen.count, values.count)
        expectTrue(set.isSubset(of: other))
        expectFalse(other.isSubset(of: set))
        expectEqual(frozen.thaw(), set)
        texts = set.map { type.text($0) }
        let reference = ThreadSafeReference(to: set)
        let there: [String]? = try DispatchQueue(label: "elements").sync {
          let resolved = try Realm(configuration: file.configuration).resolve(reference)
          return resolved.map { $0.map { type.text($0) } }
        }
        expectEqual(there, texts, "\(type.name)")
      }
      let realm = try file.open()
      let set = try type.set(#require(realm.objects(EverySet.self).first))
      expectEqual(set.map { type.text($0) }, texts, "\(type.name) reopened")
      #expect(try realm.core.file.check().isEmpty)
    }
  }

  /// Intersections, differences and unions; the set ends with all values.
  private static func algebra<Element>(_ set: MutableSet<Element>, _ values: [Element]) {
    let some = MutableSet<Element>()
    some.insert(objectsIn: values.dropFirst())
    set.insert(objectsIn: values)
    set.formIntersection(some)
    expectEqual(Set(set), Set(values.dropFirst()))
    expectTrue(set.intersects(some))
    set.subtract(some)
    expectTrue(set.isEmpty)
    expectFalse(set.intersects(some))
    set.formUnion(some)
    expectEqual(set.count, values.count - 1)
    expectTrue(set.isSubset(of: some))
    set.insert(objectsIn: values)
  }
}
