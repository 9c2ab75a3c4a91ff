// SPDX-License-Identifier: Apache-2.0

// Key paths to fields without `@Persisted`, and enumerations in them.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

private enum OldSize: Int, RealmEnum { case small = 1, large = 5 }

private enum OldColor: String, RealmEnum { case red, green }

private class OldCoat: Object {
  let size = RealmProperty<OldSize?>()
  let color = RealmProperty<OldColor?>()
  let price = RealmProperty<Double?>()
  let labels = List<String>()
  let owners = LinkingObjects(fromType: OldOwner.self, property: "coats")
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class OldOwner: Object {
  let coats = List<OldCoat>()
  let others = MutableSet<OldCoat>()
  let byName = Map<String, OldCoat?>()
  let anything = RealmProperty<AnyRealmValue>()
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class CoatRow: Projection<OldCoat> {
  @Projected(\OldCoat.size.value) var size
  @Projected(\OldCoat.labels) var labels: List<String>
}

struct LegacyKeyPathTests {
  /// `KeyPathRecorder` 3.
  @Test func namesAreFound() {
    expectEqual(_name(for: \OldCoat.size.value), "size")
    expectEqual(_name(for: \OldCoat.size), "size")
    expectEqual(_name(for: \OldCoat.price.value), "price")
    expectEqual(_name(for: \OldCoat.labels), "labels")
    expectEqual(_name(for: \OldCoat.owners), "owners")
    expectEqual(_name(for: \OldCoat.labels.count), "labels")
    expectEqual(_name(for: \OldOwner.coats), "coats")
    expectEqual(_name(for: \OldOwner.others), "others")
    expectEqual(_name(for: \OldOwner.byName), "byName")
    expectEqual(_name(for: \OldOwner.anything.value), "anything")
    expectEqual(_name(for: \OldOwner.coats[0]), "coats")
    expectEqual(_name(for: \OldOwner.coats[0].price.value), "coats.price")
    expectEqual(_name(for: \OldOwner.coats[0].labels), "coats.labels")
    expectEqual(_name(for: \OldOwner.others[0].color.value), "others.color")
    expectEqual(_name(for: \OldOwner.byName["x"]), "byName")
    expectEqual(_name(for: \CoatRow.size), "size")
    expectEqual(_name(for: \CoatRow.labels), "labels")
  }

  /// `KeyPathRecorder` 2.
  @Test func recordingLeavesNothingBehind() {
    weak var list: List<OldCoat>?
    func record() {
      let recorder = KeyPathRecorder()
      let owner = recorder.makeObject(OldOwner.self)
      list = owner.coats
      expectEqual(recorder.path(to: owner.coats), "coats")
    }
    record()
    expectEqual(list, nil)
  }

  @Test func enumerationsOrdersAndObservers() throws {
    let file = try TemporaryRealm([OldCoat.self, OldOwner.self])
    do {
      let realm = try file.open()
      try realm.write {
        for (number, size) in [OldSize.large, .small, nil].enumerated() {
          let coat = OldCoat()
          coat.size.value = size
          coat.price.value = Double(number)
          coat.color.value = number == 0 ? nil : .green
          realm.add(coat)
        }
        realm.create(OldOwner.self, value: ["coats": Array(realm.objects(OldCoat.self))])
        realm.create(OldCoat.self, value: ["size": 5, "price": 9, "color": "red"] as [String: Any])
      }
    }
    let realm = try file.open()
    let coats = realm.objects(OldCoat.self)
    expectEqual(coats.compactMap { $0.size.value }, [.large, .small, .large])
    expectEqual(coats.map { $0.color.value }, [nil, .green, .green, .red])
    expectEqual(
      coats.sorted(by: \.price.value, ascending: false).map { $0.price.value }, [9, 2, 1, 0])
    expectEqual(
      coats.sorted(by: \.size.value).map { $0.size.value }, [nil, .small, .large, .large])
    expectEqual(coats.max(of: \.price.value), 9)
    expectEqual(coats.sum(of: \.price.value), 12)
    expectEqual(coats.distinct(by: [\OldCoat.color.value]).count, 3)
    expectEqual(coats.filter("size == 5").count, 2)
    expectEqual(coats.where { $0.price.value > 1 }.count, 2)
    let found = coats.where { $0.size.value == .large && $0.labels.count == 0 }
    expectEqual(found.count, 2)
    expectEqual(realm.objects(OldOwner.self).where { $0.coats.size.value == .small }.count, 1)
    try realm.write {
      coats[0].size.value = nil
      coats[1].color.value = .red
    }
    expectTrue(coats[0].freeze().size.value == nil)
    expectEqual(coats[1].color.value, .red)
  }

  @MainActor @Test(.timeLimit(.minutes(10))) func observersTakeThem() async throws {
    let file = try TemporaryRealm([OldCoat.self, OldOwner.self])
    let realm = try await Realm(configuration: file.configuration)
    let coat = try realm.write { realm.create(OldCoat.self) }
    let told = Recorder<String>()
    let token = coat.observe(keyPaths: [\OldCoat.price, \OldCoat.labels]) {
      (change: ObjectChange<OldCoat>) in
      if case .change(_, let properties) = change { properties.forEach { told.add($0.name) } }
    }
    try realm.write { coat.size.value = .small }
    await expectEqual(told.settled(), [])
    try realm.write { coat.price.value = 3 }
    await expectEqual(told.wait(for: 1), ["price"])
    try realm.write { coat.labels.append("x") }
    await expectEqual(told.wait(for: 2), ["price", "labels"])
    token.invalidate()
  }
}
