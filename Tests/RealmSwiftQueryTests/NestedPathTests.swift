// SPDX-License-Identifier: Apache-2.0

// Paths into values of any type: what has no such place is not asked.

import Foundation
import RealmSwift
import RealmSwiftTestSupport
import TestExtensions
import Testing

private final class Document: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var mix: AnyRealmValue
  @Persisted var next: Document?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct NestedPathTests {
  private let file: TemporaryRealm
  private let realm: Realm

  init() throws {
    file = try TemporaryRealm([Document.self])
    realm = try file.open()
    let values: [AnyRealmValue] = [
      .string("no dictionary"),
      .fromDictionary(["a": .none, "n": .fromDictionary(["x": .none])]),
      .fromDictionary(["b": .int(1)]),
      .none,
      .fromArray([.int(1), .fromDictionary(["b": .int(3)])]),
    ]
    let realm = realm
    try realm.write {
      var last: Document?
      for (index, value) in values.enumerated() {
        let document = realm.create(Document.self, value: ["id": index + 1])
        document.mix = value
        document.next = last
        last = document
      }
      last?.mix = values[4]
      let link = realm.create(Document.self, value: ["id": 6])
      link.mix = .object(link)
    }
  }

  /// `cases/17`: what Realm Core 14 answers for the first four objects.
  @Test(
    "what has no such place is not asked",
    arguments: [
      ("mix['a'] == NULL", [2, 3]), ("mix['n']['x'] == NULL", [2]), ("mix['zz'] == NULL", [2, 3]),
      ("mix['a'] != NULL", []), ("mix['b'] != 3", [2, 3]), ("mix['b'] == 1", [3]),
      ("mix['n']['x'] != 3", [2]), ("mix['n']['y'] == NULL", [2]), ("mix['b']['x'] == NULL", []),
      // A dot does what brackets do.
      ("mix.a == NULL", [2, 3]), ("mix.b == 1", [3]), ("mix.n.x == NULL", [2]),
      ("mix['n'].x == NULL", [2]), ("mix.n['x'] == NULL", [2]), ("next.mix.b == 1", [4]),
      // Lists have positions.
      ("mix[0] == 1", [5]), ("mix[1].b == 3", [5]), ("mix[7] == NULL", []), ("mix[0] != 2", [5]),
      ("mix[1]['c'] == NULL", [5]), ("mix[*] == 1", [3, 5]), ("mix[*].b == 3", [5]),
      // Names of types.
      ("mix.@type == 'object'", [2, 3]), ("mix.@type == 'dictionary'", [2, 3]),
      ("mix.@type == 'link'", [6]), ("mix.@type == 'objectLink'", [6]),
      ("mix.@type == 'array'", [5]),
      ("mix.@type != 'object'", [1, 4, 5, 6]), ("mix.n.@type == 'object'", [2]),
      ("mix['b'].@type != 'int'", [2]), ("mix['b'].@type == 'null'", [2]),
      ("mix['b'].@type IN {'int', 'null'}", [2, 3]),
      // No object is asked twice.
      ("NOT mix['b'] == 1", [1, 2, 4, 5, 6]), ("mix['b'] IN {1, NULL}", [2, 3]),
      ("mix['b'] > 0", [3]),
    ] as [(String, [Int])])
  func places(condition: String, wanted: [Int]) throws {
    let found = try realm.objects(Document.self).filter(parsing: condition)
    expectEqual(Array(found.map(\.id)), wanted, "\(condition)")
  }

  @Test func closuresAskTheSame() {
    let all = realm.objects(Document.self)
    expectEqual(Array(all.where { $0.mix["a"] == .none }.map(\.id)), [2, 3])
    expectEqual(Array(all.where { $0.mix["b"] != .int(3) }.map(\.id)), [2, 3])
    expectEqual(Array(all.where { $0.mix["b"] == .int(1) }.map(\.id)), [3])
  }
}
