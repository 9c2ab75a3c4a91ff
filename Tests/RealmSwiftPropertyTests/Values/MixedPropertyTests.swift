// SPDX-License-Identifier: Apache-2.0

// A single property of `AnyRealmValue` with every kind of value: sorted by, and handed over.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

final class MixedCarrier: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var value: AnyRealmValue
  @Persisted var name: String

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct MixedPropertyTests {
  private let file: TemporaryRealm

  init() throws { file = try TemporaryRealm([MixedCarrier.self]) }

  /// All kinds in their order; the ID distinguishes values that are equal in it.
  private static var values: [AnyRealmValue] {
    [
      .none, .bool(false), .bool(true), .double(-.infinity), .int(-4), .float(1.5), .double(1.5),
      .decimal128("1.75"), .int(2), .decimal128("2.50"), .double(1e300), .string(""), .string("Z"),
      .string("a"), .string("ö"), .data(Data()), .data(Data([7])), .data(Data([0xFF])),
      .date(Date(timeIntervalSince1970: -1)), .date(Date(timeIntervalSince1970: 1.25)),
      .objectId(ObjectId("000000000000000000000001")),
      .objectId(ObjectId("ff0000000000000000000000")),
      .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))),
      .uuid(UUID(uuid: (255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
    ]
  }

  /// What a value is, for comparing it across realms.
  private static func text(_ value: AnyRealmValue) -> String {
    switch value {
    case .object(let object): "object \((object as? MixedCarrier)?.name ?? "?")"
    case .list(let list): "[\(list.map(text).joined(separator: ", "))]"
    case .dictionary(let map):
      "{\(map.map { "\($0.key): \(text($0.value))" }.sorted().joined(separator: ", "))}"
    default: "\(value)"
    }
  }

  /// Objects with all kinds, their IDs in the order of the values; gives the texts by ID.
  @discardableResult
  private func fill(_ realm: Realm) throws -> [String] {
    try realm.write {
      var all = Self.values
      let target = realm.create(MixedCarrier.self, value: ["id": 1000, "name": "target"])
      target.value = .string("far")
      all.append(.object(target))
      all.append(.fromArray([.int(1), .fromDictionary(["deep": .object(target)])]))
      all.append(.fromDictionary(["a": .none, "b": .fromArray([.string("x")])]))
      // Created in another order than that of the values.
      for id in all.indices.sorted(by: { $0 % 7 < $1 % 7 }) {
        let carrier = realm.create(MixedCarrier.self, value: ["id": id])
        carrier.value = all[id]
      }
      return all.map(Self.text)
    }
  }

  @Test func valuesAreSorted() throws {
    let count = try fill(file.open()).count
    let realm = try file.open()
    let carriers = realm.objects(MixedCarrier.self).where { $0.id < 1000 }
    let order = [
      SortDescriptor(keyPath: "value", ascending: true), SortDescriptor(keyPath: "id"),
    ]
    let ascending = carriers.sorted(by: order)
    expectEqual(ascending.map(\.id), Array(0..<count))
    expectEqual(ascending.freeze().map(\.id), Array(0..<count))
    let descending = carriers.sorted(by: [
      SortDescriptor(keyPath: "value", ascending: false),
      SortDescriptor(keyPath: "id", ascending: false),
    ])
    expectEqual(descending.map(\.id), (0..<count).reversed())
    expectEqual(carriers.sorted(byKeyPath: "value").first?.id, 0)
    // Live: the first value becomes the last, and the last the first.
    let (first, last) = (ascending[0], ascending[count - 1])
    try realm.write {
      first.value = .fromDictionary([:])
      last.value = .none
    }
    expectEqual(ascending.first, last)
    expectTrue([count - 2, 0].contains(ascending.last?.id))
    expectEqual(Array(ascending.map(\.id).dropFirst().prefix(10)), Array(1...10))
  }

  private func onThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      Thread { continuation.resume(with: Result { try body() }) }.start()
    }
  }

  private actor Reader {
    func texts(
      _ reference: ThreadSafeReference<Results<MixedCarrier>>, _ configuration: Realm.Configuration
    ) async throws -> [String] {
      let realm = try await Realm.open(configuration: configuration)
      return realm.resolve(reference)?.map { MixedPropertyTests.text($0.value) } ?? []
    }
  }

  @MainActor @Test func valuesAreHandedOver() async throws {
    let realm = try file.open()
    let texts = try fill(realm)
    let carriers = realm.objects(MixedCarrier.self).where { $0.id < 1000 }
      .sorted(byKeyPath: "id")
    let configuration = file.configuration
    // One by one, as references and as wrapped values.
    for (carrier, text) in zip(carriers, texts) {
      let reference = ThreadSafeReference(to: carrier)
      let wrapped = ThreadSafe(wrappedValue: carrier)
      // What is frozen may be read on every thread.
      nonisolated(unsafe) let frozen = carrier.freeze()
      let read = try await onThread {
        let realm = try Realm(configuration: configuration)
        let object = realm.resolve(reference)
        return [
          object.map { MixedPropertyTests.text($0.value) },
          wrapped.wrappedValue.map { MixedPropertyTests.text($0.value) },
          MixedPropertyTests.text(frozen.value),
          frozen.thaw().map { MixedPropertyTests.text($0.value) },
        ]
      }
      expectEqual(read.count, 4, "\(text): \(read)")
      #expect(read.allSatisfy { $0 == text }, "\(text): \(read)")
    }
    try await expectEqual(Reader().texts(ThreadSafeReference(to: carriers), configuration), texts)
    // What is inside is written through where it arrived.
    let list = ThreadSafeReference(to: try #require(carriers.last { $0.value.listValue != nil }))
    try await onThread {
      let realm = try Realm(configuration: configuration)
      let carrier = realm.resolve(list)
      try realm.write { carrier?.value.listValue?.append(.bool(true)) }
    }
    realm.refresh()
    #expect(carriers.contains { $0.value.listValue?.count == 3 })
  }
}
