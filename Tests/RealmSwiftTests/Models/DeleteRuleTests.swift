// SPDX-License-Identifier: Apache-2.0

// What goes with objects that are deleted.

import Foundation
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

struct DeleteRuleTests {
  private let file: TemporaryRealm

  init() throws { file = try TemporaryRealm.ofVolumes() }

  private func numbers(_ realm: Realm) -> [Int] {
    realm.objects(Leaflet.self).map(\.number).sorted()
  }

  @discardableResult
  private func makeVolume(_ realm: Realm, _ title: String = "A", from number: Int = 0) -> Volume {
    let volume = realm.create(Volume.self, value: ["title": title])
    volume.pages.append(objectsIn: [Leaflet(number + 1), Leaflet(number + 2)])
    volume.pages.append(volume.pages[0])
    volume.index = Leaflet(number + 3)
    volume.plates.insert(Leaflet(number + 4))
    volume.notes["a"] = Leaflet(number + 5)
    volume.notes["b"] = .some(nil)
    volume.extra = .fromArray([
      .object(Leaflet(number + 6)), .fromDictionary(["x": .object(Leaflet(number + 7))]), .int(1),
    ])
    return volume
  }

  // MARK: What holds the links

  @Test func cascadesThroughEveryKindOfProperty() throws {
    let realm = try file.open()
    try realm.write {
      makeVolume(realm)
      makeVolume(realm, "B", from: 10).extra = .object(Leaflet(19))
      realm.add(Leaflet(100))
    }
    expectEqual(numbers(realm).count, 16)
    let volume = try #require(realm.object(ofType: Volume.self, forPrimaryKey: "A"))
    let page = volume.pages[0]
    let frozen = volume.freeze()
    try realm.write { realm.delete(volume) }
    // The object that "B" released when its mixed value was replaced was not deleted.
    expectEqual(numbers(realm), [11, 12, 13, 14, 15, 16, 17, 19, 100])
    expectTrue(page.isInvalidated)
    expectEqual(frozen.pages.count, 3)
    expectEqual(frozen.index?.number, 3)
    try realm.write { realm.delete(realm.objects(Volume.self)) }
    expectEqual(numbers(realm), [16, 17, 100])
    try ReferenceReader.check(file.configuration)
  }

  @Test func takingOutDeletesNothing() throws {
    let realm = try file.open()
    try realm.write {
      let volume = makeVolume(realm)
      volume.pages.removeAll()
      volume.index = nil
      volume.plates.removeAll()
      volume.notes["a"] = nil
      volume.extra = .none
      realm.delete(volume)
    }
    expectEqual(numbers(realm), Array(1...7))
  }

  @Test func othersThatLinkLoseWhatCascades() throws {
    let realm = try file.open()
    try realm.write {
      let volume = makeVolume(realm)
      let other = realm.create(Volume.self, value: ["title": "B"])
      other.pages.append(objectsIn: [volume.pages[1], Leaflet(50), volume.pages[1]])
      other.index = volume.pages[0]
      other.notes["c"] = volume.pages[0]
      realm.delete(volume)
      expectEqual(other.pages.map(\.number), [50])
      expectTrue(other.index == nil)
      expectTrue(other.plates.isEmpty)
      expectEqual(other.notes["c"], .some(nil))
    }
    expectEqual(numbers(realm), [50])
  }

  @Test func circlesEnd() throws {
    let realm = try file.open()
    try realm.write {
      let sheets = (0..<2_000).map { Leaflet($0) }
      realm.add(sheets)
      for (sheet, next) in zip(sheets, sheets.dropFirst()) { sheet.next = next }
      sheets[1_999].next = sheets[1_000]
      realm.add(Leaflet(-1))
      realm.delete(sheets[500])
    }
    expectEqual(numbers(realm), Array(-1..<500))
    try realm.write {
      let alone = Leaflet(5_000)
      realm.add(alone)
      alone.next = alone
      realm.delete(alone)
    }
    expectEqual(numbers(realm).last, 499)
  }

  // MARK: Orphans

  @Test func orphansGoWithTheLastThatLinks() throws {
    let realm = try file.open()
    let (first, second) = try realm.write {
      let first = realm.create(Volume.self, value: ["title": "A"])
      let second = realm.create(Volume.self, value: ["title": "B"])
      let shared = Picture(value: ["shared"])
      first.covers.append(objectsIn: [shared, Picture(value: ["own"]), shared])
      second.covers.append(shared)
      return (first, second)
    }
    try realm.write { realm.delete(first) }
    expectEqual(realm.objects(Picture.self).map(\.name), ["shared"])
    expectEqual(second.covers.count, 1)
    try realm.write { realm.delete(second) }
    expectTrue(realm.objects(Picture.self).isEmpty)
  }

  @Test func deletedTogetherNobodyKeepsTheOrphan() throws {
    let realm = try file.open()
    try realm.write {
      let shared = Picture(value: ["shared"])
      for title in ["A", "B", "C"] {
        realm.create(Volume.self, value: ["title": title]).covers.append(shared)
      }
      realm.delete(realm.objects(Volume.self).where { $0.title != "C" })
      expectEqual(realm.objects(Picture.self).count, 1)
      realm.delete(Array(realm.objects(Volume.self)))
      expectTrue(realm.objects(Picture.self).isEmpty)
    }
  }

  // MARK: Other ways to delete

  @Test func everyWayToDeleteFollowsTheRules() throws {
    let realm = try file.open()
    var ways: [(Realm, Volume) -> Void] = []
    ways.append { realm, volume in realm.delete(volume) }
    ways.append { realm, volume in realm.delete([volume]) }
    ways.append { realm, _ in realm.delete(realm.objects(Volume.self)) }
    ways.append { realm, volume in
      let holder = realm.create(Volume.self, value: ["title": "holder"])
      holder.similar.append(objectsIn: [volume, volume])
      realm.delete(holder.similar)
      expectTrue(holder.similar.isEmpty)
      realm.delete(holder)
    }
    ways.append { realm, _ in realm.delete(realm.dynamicObjects("Volume")) }
    ways.append { realm, volume in
      let dynamic = realm.dynamicObject(ofType: "Volume", forPrimaryKey: volume.title)
      if let dynamic { realm.delete(dynamic) }
    }
    ways.append { realm, _ in realm.deleteAll() }
    for way in ways {
      try realm.write {
        let volume = makeVolume(realm)
        volume.covers.append(Picture(value: ["own"]))
        volume.wrapper = Wrapper(value: ["ribbon": ["number": 8]])
        realm.create(Review.self).about.append(volume)
        way(realm, volume)
        expectTrue(realm.objects(Leaflet.self).isEmpty)
        expectTrue(realm.objects(Picture.self).isEmpty)
        expectTrue(realm.objects(Volume.self).isEmpty)
        expectTrue(realm.objects(Review.self).isEmpty)
      }
    }
    expectTrue(realm.isEmpty)
    try ReferenceReader.check(file.configuration)
  }

  @Test func embeddedObjectsTakeAlongWhatTheyOwn() throws {
    let realm = try file.open()
    func wrapper(_ number: Int, _ stamp: Picture? = nil) -> Wrapper {
      Wrapper(value: ["ribbon": ["number": number], "stamp": stamp as Any])
    }
    let volume = try realm.write { realm.create(Volume.self, value: ["title": "A"]) }
    try realm.write {
      let stamp = Picture(value: ["stamp"])
      volume.wrapper = wrapper(1, stamp)
      volume.wrappers.append(objectsIn: [wrapper(2, stamp), wrapper(3), wrapper(4)])
    }
    try realm.write { volume.wrapper = wrapper(5) }
    expectEqual(numbers(realm), [2, 3, 4, 5])
    expectEqual(realm.objects(Picture.self).count, 1)
    try realm.write { volume.wrappers.remove(at: 0) }
    expectEqual(numbers(realm), [3, 4, 5])
    expectTrue(realm.objects(Picture.self).isEmpty)
    try realm.write { volume.wrappers[1] = wrapper(6) }
    expectEqual(numbers(realm), [3, 5, 6])
    try realm.write { volume.wrappers.removeAll() }
    expectEqual(numbers(realm), [5])
    try realm.write { realm.delete(volume) }
    expectTrue(numbers(realm).isEmpty)
    expectTrue(realm.objects(Picture.self).isEmpty)
  }

  @Test func migrationsFollowTheRules() throws {
    try autoreleasepool {
      let realm = try file.open()
      try realm.write {
        makeVolume(realm)
        makeVolume(realm, "B", from: 10)
        realm.add(Leaflet(100))
      }
    }
    file.configuration.schemaVersion = 2
    file.configuration.migrationBlock = { migration, _ in
      migration.enumerateObjects(ofType: "Volume") { old, new in
        if let new, old?["title"] as? String == "A" { migration.delete(new) }
      }
    }
    let kept = try autoreleasepool { numbers(try file.open()) }
    expectEqual(kept, Array(11...17) + [100])
    file.configuration.schemaVersion = 3
    file.configuration.migrationBlock = { migration, _ in
      migration.deleteData(forType: "Volume")
    }
    let left = numbers(try file.open())
    expectEqual(left, [100])
  }

  @Test func theFileKnowsNoRules() throws {
    try autoreleasepool {
      let realm = try file.open()
      try realm.write { makeVolume(realm) }
    }
    file.configuration.objectTypes = [
      WithoutRules.Volume.self, WithoutRules.Leaflet.self, WithoutRules.Picture.self,
      WithoutRules.Wrapper.self,
    ]
    let realm = try file.open()
    try realm.write { realm.delete(realm.objects(WithoutRules.Volume.self)) }
    expectEqual(realm.objects(WithoutRules.Leaflet.self).count, 7)
  }

  @Test func deletingNothingNeedsNoTransaction() throws {
    let realm = try file.open()
    realm.delete([Volume]())
    try realm.write {
      let sheet = realm.create(Leaflet.self)
      realm.delete([sheet, sheet])
    }
    realm.delete(Array(realm.objects(Leaflet.self)))
    expectTrue(realm.isEmpty)
  }

  // MARK: Transactions and observers

  @Test func whatIsUndoneComesBack() throws {
    let realm = try file.open()
    try realm.write { makeVolume(realm) }
    realm.beginWrite()
    realm.delete(realm.objects(Volume.self))
    expectTrue(numbers(realm).isEmpty)
    realm.cancelWrite()
    expectEqual(numbers(realm), Array(1...7))
    expectEqual(realm.objects(Volume.self).first?.pages.count, 3)
  }

  @MainActor @Test(.timeLimit(.minutes(10))) func observersAreToldOfAllThatGoes() async throws {
    let realm = try await Realm(configuration: file.configuration)
    let volume = try realm.write {
      makeVolume(realm)
      realm.add(Leaflet(100))
      return makeVolume(realm, "B", from: 10)
    }
    let sheets = Recorder<ToldChange>()
    let gone = Recorder<Int>()
    var tokens = [realm.objects(Leaflet.self).observe { sheets.add(ToldChange($0)) }]
    for page in volume.pages.prefix(2) {
      let number = page.number
      tokens.append(
        page.observe { (change: ObjectChange<Leaflet>) in
          if case .deleted = change { gone.add(number) }
        })
    }
    _ = await sheets.wait(for: 1)
    let positions = realm.objects(Leaflet.self).enumerated()
      .filter { (11...17).contains($0.element.number) }.map(\.offset)
    try realm.write { realm.delete(volume) }
    let told = await sheets.wait(for: 2)
    expectEqual(
      told,
      [
        .initial(count: 15),
        .update(count: 8, deletions: positions, insertions: [], modifications: []),
      ])
    await expectEqual(gone.wait(for: 2).sorted(), [11, 12])
    for token in tokens { token.invalidate() }
  }

  // MARK: Denial

  @Test func denialsFallWithWhatDenies() throws {
    let realm = try file.open()
    try realm.write {
      let volume = makeVolume(realm)
      let loan = realm.create(Loan.self)
      loan.volume = volume
      realm.delete(loan)
      realm.delete(volume)
      expectTrue(realm.isEmpty)
      makeVolume(realm)
      realm.create(Loan.self, value: ["volume": realm.objects(Volume.self)[0]])
      realm.deleteAll()
    }
    expectTrue(realm.isEmpty)
  }

  @Test func deletingWhatIsDeniedEndsTheProcess() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try TemporaryRealm.ofVolumes().open()
      try realm.write {
        let volume = realm.create(Volume.self, value: ["title": "A", "pages": [["number": 1]]])
        realm.create(Loan.self, value: ["volume": volume])
        realm.delete(volume)
      }
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      said.contains(
        "Cannot delete an object of type 'Volume': its property 'loans' is declared with "
          + "onDelete: .deny, and is not empty."), "said: \(said.prefix(400))")
  }
}
