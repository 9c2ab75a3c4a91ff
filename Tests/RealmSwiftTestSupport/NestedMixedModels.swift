// SPDX-License-Identifier: Apache-2.0

// A class with mixed values in every place, and a value that says what such a value should be.

import Foundation
package import RealmSwift
package import RealmTestSupport

package class MixedHolder: Object {
  @Persisted(primaryKey: true) package var id: Int
  @Persisted package var any: AnyRealmValue
  @Persisted(indexed: true) package var indexed: AnyRealmValue
  @Persisted package var list: List<AnyRealmValue>
  @Persisted package var map: Map<String, AnyRealmValue>
  @Persisted package var set: MutableSet<AnyRealmValue>

  package override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

extension TemporaryRealm {
  package static func ofMixedHolders() throws -> TemporaryRealm {
    try TemporaryRealm([MixedHolder.self])
  }
}

/// What a mixed value holds, without a realm.
package indirect enum PlainMixed: Equatable {
  case none, int(Int), text(String), object(Int)
  case list([PlainMixed])
  case map([String: PlainMixed])

  package init(_ value: AnyRealmValue) {
    switch value {
    case .int(let number): self = .int(number)
    case .string(let text): self = .text(text)
    case .object(let object): self = .object((object as? MixedHolder)?.id ?? -1)
    case .list(let list): self = .list(list.map { PlainMixed($0) })
    case .dictionary(let map): self = .map(PlainMixed.entries(of: map))
    default: self = .none
    }
  }

  package static func entries(of map: Map<String, AnyRealmValue>) -> [String: PlainMixed] {
    Dictionary(uniqueKeysWithValues: map.map { ($0.key, PlainMixed($0.value)) })
  }

  /// The value for a realm, where objects are looked up.
  package func value(in realm: Realm) -> AnyRealmValue {
    switch self {
    case .none: .none
    case .int(let number): .int(number)
    case .text(let text): .string(text)
    case .object(let id):
      realm.object(ofType: MixedHolder.self, forPrimaryKey: id).map { .object($0) } ?? .none
    case .list(let values): .fromArray(values.map { $0.value(in: realm) })
    case .map(let values): .fromDictionary(values.mapValues { $0.value(in: realm) })
    }
  }

  package static func random(_ random: inout SeededGenerator, depth: Int = 0) -> PlainMixed {
    switch Int.random(in: 0..<(depth < 4 ? 10 : 6), using: &random) {
    case 0: .none
    case 1, 2: .int(Int.random(in: -3...70_000, using: &random))
    case 3: .text(String(repeating: "é", count: Int.random(in: 0...40, using: &random)))
    case 4, 5: .object(Int.random(in: 0..<3, using: &random))
    case 6, 7:
      .list(
        (0..<Int.random(in: 0...3, using: &random)).map { _ in
          PlainMixed.random(&random, depth: depth + 1)
        })
    default:
      .map(
        Dictionary(
          uniqueKeysWithValues: ["", "a", "日"].prefix(Int.random(in: 0...3, using: &random)).map {
            ($0, PlainMixed.random(&random, depth: depth + 1))
          }))
    }
  }
}
