// SPDX-License-Identifier: Apache-2.0

// Types of a program that the default value of what they are stored as does not convert to: key
// paths, queries and nulls do without such a value.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

/// Stored as a string, of which the empty one is no address.
private struct WebAddress: FailableCustomPersistable {
  var text: String
  init(_ text: String) { self.text = text }
  init?(persistedValue: String) {
    guard persistedValue.hasPrefix("https:") else { return nil }
    text = persistedValue
  }
  var persistableValue: String { text }
}

private class StoredSpan: EmbeddedObject {
  @Persisted var from: Int
  @Persisted var to: Int
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Stored as an object, of which one with its default values is no span.
private struct Span: FailableCustomPersistable {
  var from: Int
  var to: Int
  init(_ from: Int, _ to: Int) { (self.from, self.to) = (from, to) }
  init?(persistedValue: StoredSpan) {
    guard persistedValue.from < persistedValue.to else { return nil }
    self.init(persistedValue.from, persistedValue.to)
  }
  var persistableValue: StoredSpan { StoredSpan(value: [from, to]) }
}

/// Stored as an object, of which one with its default values is a place.
private struct Corner: CustomPersistable {
  var x: Int
  init(_ x: Int) { self.x = x }
  init(persistedValue: StoredSpan) { x = persistedValue.from }
  var persistableValue: StoredSpan { StoredSpan(value: [x, x]) }
}

private class Site: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var address: WebAddress?
  @Persisted var home = WebAddress("https://home")
  @Persisted var span: Span?
  @Persisted var wholeSpan = Span(1, 2)
  @Persisted var mirrors: List<WebAddress?>
  @Persisted var byName: Map<String, WebAddress?>
  @Persisted var spans: Map<String, Span?>
  @Persisted var corner: Corner
  @Persisted var corners: Map<String, Corner>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class SiteRow: Projection<Site> {
  @Projected(\Site.address) var address
  @Projected(\Site.home) var home
}

struct FailableDefaultTests {
  private let file: TemporaryRealm
  private let realm: Realm

  init() throws {
    file = try TemporaryRealm([Site.self, StoredSpan.self])
    realm = try file.open()
    try realm.write {
      for id in 0..<3 {
        let site = realm.create(Site.self, value: ["id": id])
        site.address = id == 0 ? nil : WebAddress("https://\(id)")
        site.home = WebAddress("https://home/\(id)")
        site.span = id == 1 ? Span(3, 4) : nil
        site.mirrors.append(site.address)
        site.byName["a"] = site.address
      }
    }
  }

  private func ids(_ condition: (Query<Site>) -> Query<Bool>) -> [Int] {
    realm.objects(Site.self).where(condition).map(\.id).sorted()
  }

  @Test func queriesNeedNoDefaultValue() {
    expectEqual(ids { $0.address == WebAddress("https://1") }, [1])
    expectEqual(ids { $0.address != nil }, [1, 2])
    expectEqual(ids { $0.address.in([WebAddress("https://2"), nil]) }, [0, 2])
    expectEqual(ids { $0.address.persistableValue == "https://2" }, [2])
    expectEqual(ids { $0.home == WebAddress("https://home/1") }, [1])
    expectEqual(ids { $0.home.persistableValue.ends(with: "/2") }, [2])
    expectEqual(ids { $0.span == Span(3, 4) }, [1])
    expectEqual(ids { $0.span.persistableValue.to == 4 }, [1])
    expectEqual(ids { $0.wholeSpan == Span(1, 2) }, [0, 1, 2])
    expectEqual(ids { $0.mirrors.contains(WebAddress("https://1")) }, [1])
    expectEqual(ids { $0.byName["a"] == WebAddress("https://2") }, [2])
  }

  @Test func keyPathsNeedNoDefaultValue() {
    expectEqual(_name(for: \Site.address), "address")
    expectEqual(_name(for: \Site.home), "home")
    expectEqual(_name(for: \Site.span), "span")
    expectEqual(_name(for: \Site.wholeSpan), "wholeSpan")
    expectEqual(_name(for: \Site.mirrors[0]), "mirrors")
    expectEqual(_name(for: \EveryList.custom), "custom")
    expectEqual(_name(for: \Site.byName["a"]), "byName")
    expectEqual(_name(for: \Site.spans["a"]), "spans")
    expectEqual(SortDescriptor(keyPath: \Site.address).keyPath, "address")
    let sorted = realm.objects(Site.self).sorted(by: \.address, ascending: false)
    expectEqual(sorted.map(\.id), [2, 1, 0])
    expectEqual(realm.objects(Site.self).distinct(by: [\Site.home]).count, 3)
    let rows = realm.objects(SiteRow.self).where { $0.address == WebAddress("https://2") }
    expectEqual(rows.map(\.home.text), ["https://home/2"])
    expectEqual(_name(for: \Site.home, of: Site.self), "home")
  }

  @Test @MainActor func observersOfSuchPropertiesAreNotified() async throws {
    let realm = try file.open()
    let site = try #require(realm.object(ofType: Site.self, forPrimaryKey: 1))
    let (changes, continuation) = AsyncStream<[String]>.makeStream()
    let token = site.observe(keyPaths: [\Site.address, \Site.home]) { change in
      if case .change(_, let properties) = change {
        continuation.yield(properties.map(\.name).sorted())
      }
    }
    try realm.write {
      site.address = WebAddress("https://new")
      site.home = WebAddress("https://new/home")
    }
    var iterator = changes.makeAsyncIterator()
    await expectEqual(iterator.next(), ["address", "home"])
    token.invalidate()
  }

  @Test func aStoredValueThatDoesNotConvertIsNilWhereItMayBe() throws {
    try realm.write {
      let site = try #require(realm.dynamicObject(ofType: "Site", forPrimaryKey: 2))
      site["address"] = "ftp://2"
      site["span"] = ["from": 9, "to": 1]
    }
    let site = try #require(realm.object(ofType: Site.self, forPrimaryKey: 2))
    expectTrue(site.address == nil)
    expectTrue(site.span == nil)
    expectTrue(site["address"] == nil)
    expectTrue(site.freeze().address == nil)
  }

  @Test func aNullObjectMeansTheDefaultValue() throws {
    try realm.write {
      let site = try #require(realm.dynamicObject(ofType: "Site", forPrimaryKey: 1))
      site["corner"] = nil
      let corners: Map<String, DynamicObject?> = site.dynamicMap("corners")
      corners["none"] = .some(nil)
    }
    let site = try #require(realm.object(ofType: Site.self, forPrimaryKey: 1))
    expectEqual(site.corner.x, 0)
    expectEqual(site.corners["none"]?.x, 0)
    try realm.write {
      site["corner"] = NSNull()
      expectEqual(site.corner.x, 0)
      realm.create(Site.self, value: ["id": 1, "corner": NSNull()], update: .all)
      expectEqual(site.corner.x, 0)
    }
    expectEqual(Site(value: ["corner": NSNull()]).corner.x, 0)
  }

  @Test func aStoredValueThatDoesNotConvertIsRefusedElsewhere() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let file = try TemporaryRealm([Site.self, StoredSpan.self])
      let realm = try file.open()
      try realm.write {
        let site = realm.create(Site.self, value: ["id": 1])
        realm.dynamicObject(ofType: "Site", forPrimaryKey: 1)?["home"] = "1"
        _ = site.home
      }
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      said.contains(
        "Failed to convert persisted value '1' to type 'WebAddress' in a non-optional context."))
  }
}
