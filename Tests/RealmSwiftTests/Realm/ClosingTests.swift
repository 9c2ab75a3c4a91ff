// SPDX-License-Identifier: Apache-2.0

// What is left of a realm when its last reference has gone: nothing.

import Foundation
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmStorage
@_spi(RealmTesting) @testable import RealmSwift

/// A class that links to itself and to one that links back.
private class Branch: Object {
  @Persisted var name = ""
  @Persisted var parent: Branch?
  @Persisted var leaf: Foliage?
  @Persisted var children: List<Branch>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Foliage: Object {
  @Persisted var branch: Branch?
  @Persisted(originProperty: "leaf") var branches: LinkingObjects<Branch>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@MainActor @Suite struct ClosingTests {
  /// References that do not keep what they lead to.
  private struct Weak<Value: AnyObject> {
    weak var value: Value?
  }

  private func makeFile() throws -> TemporaryRealm {
    let file = try TemporaryRealm([Branch.self, Foliage.self])
    let realm = try file.open()
    try realm.write {
      let branch = realm.create(Branch.self)
      branch.parent = branch
      branch.leaf = realm.create(Foliage.self)
      branch.leaf?.branch = branch
    }
    return file
  }

  private func classes(_ core: RealmCore) -> [Weak<ClassInfo>] {
    let dynamic = core.classes.dynamic.all.map { Weak(value: $0) }
    return core.classes.all.map { Weak(value: $0) } + dynamic
  }

  private func follow(_ branch: Branch?) {
    expectEqual(branch?.parent?.leaf?.branch?.parent?.isSameObject(as: branch), true)
    expectEqual(branch?.leaf?.branches.first?.isSameObject(as: branch), true)
  }

  // MARK: Classes

  /// `RealmClasses` 1, `DynamicClasses` 1, `DynamicSchemas` 1: nobody else keeps them.
  @Test func classesThatLinkToEachOtherGoWithTheirRealm() throws {
    let file = try makeFile()
    var seen: [Weak<ClassInfo>] = []
    var schemas = Weak<DynamicSchemas>(value: nil)
    do {
      let realm = try file.open()
      follow(realm.objects(Branch.self).first)
      let linked = realm.dynamicObjects("Branch").first?["parent"] as? Branch
      expectEqual(linked?.parent?.isSameObject(as: linked), true)
      seen = classes(realm.core)
      schemas.value = realm.core.classes.dynamic.schemas
      try realm.write { realm.create(Branch.self) }
      #expect(seen.allSatisfy { $0.value != nil })
      expectTrue(schemas.value != nil)
      expectEqual(realm.dynamicObjects("Branch").last?["name"] as? String, "")
    }
    expectEqual(seen.count, 4)
    #expect(seen.allSatisfy { $0.value == nil })
    expectTrue(schemas.value == nil)
  }

  /// `ClassHot` 1, `ClassInfo` 1.
  @Test func anObjectKeepsItsRealmAndItsClass() throws {
    let file = try makeFile()
    var core = Weak<RealmCore>(value: nil)
    var branch: Branch?
    do {
      let realm = try file.open()
      core.value = realm.core
      branch = realm.objects(Branch.self).first
    }
    let hot = branch?._hot
    expectTrue(hot != nil && core.value?.classes[Branch.self].hot == hot)
    follow(branch)
    branch = nil
    expectTrue(core.value == nil)
  }

  @Test func classesOfFrozenRealmsGoWithThem() throws {
    let file = try makeFile()
    let realm = try file.open()
    var seen: [Weak<ClassInfo>] = []
    do {
      let frozen = realm.freeze()
      follow(frozen.objects(Branch.self).first)
      seen = classes(frozen.core)
    }
    expectEqual(seen.count, 4)
    #expect(seen.allSatisfy { $0.value == nil })
  }

  @Test func classesOfMigrationsGoWithThem() throws {
    let file = try makeFile()
    nonisolated(unsafe) var seen: [Weak<ClassInfo>] = []
    var configuration = file.configuration
    configuration.schemaVersion = 1
    configuration.migrationBlock = { migration, _ in
      migration.enumerateObjects(ofType: "Branch") { old, new in
        #expect((old?["parent"] as? DynamicObject)?["parent"] is DynamicObject)
        #expect((new?["parent"] as? DynamicObject)?["parent"] is DynamicObject)
        for core in [old?.realm?.core, new?.realm?.core] {
          if let core { seen += core.classes.dynamic.all.map { Weak(value: $0) } }
        }
      }
    }
    do { _ = try Realm(configuration: configuration) }
    expectEqual(seen.count, 4)
    #expect(seen.allSatisfy { $0.value == nil })
  }

  // MARK: Versions

  /// The main queue does not turn while this runs.
  @Test func aVersionIsReleasedThoughTheMainQueueStands() throws {
    let file = try makeFile()
    let storage: DatabaseFile
    let path: String
    do {
      let realm = try file.open()
      storage = realm.core.file
      path = storage.path
      let tokens = [
        realm.objects(Branch.self).observe { _ in },
        realm.objects(Branch.self).first?.observe { _ in },
        realm.observe { _, _ in },
      ]
      // A delivery is on its way from here on.
      _RealmTesting.runAsyncNotifiers(atPath: path)
      try realm.write { realm.create(Branch.self) }
      _RealmTesting.runAsyncNotifiers(atPath: path)
      for token in tokens { token?.invalidate() }
    }
    expectTrue(storage.pinnedVersions.isEmpty)
  }

  /// `Observation` 3.
  @Test func aTokenThatWasInvalidatedKeepsNoVersion() throws {
    let file = try makeFile()
    let storage: DatabaseFile
    var tokens: [NotificationToken?] = []
    do {
      let realm = try file.open()
      storage = realm.core.file
      tokens = [
        realm.objects(Branch.self).observe { _ in },
        realm.objects(Branch.self).first?.observe { _ in },
        realm.observe { _, _ in },
      ]
      // The worker reads the version that observers begin with: it has done so from here on.
      _RealmTesting.runAsyncNotifiers(atPath: storage.path)
      for token in tokens { token?.invalidate() }
    }
    expectTrue(storage.pinnedVersions.isEmpty)
    withExtendedLifetime(tokens) {}
  }

  // MARK: Threads

  @Test func openingWithoutAThreadThrows() throws {
    let file = try makeFile()
    let error = #expect(throws: Realm.Error.self) {
      try BackgroundThread.$isRefused.withValue(true) { try file.open() }
    }
    expectEqual(error?.code, .fail)
    expectEqual(error?.localizedDescription.contains("No thread could be started"), true)
    try expectEqual(file.open().objects(Branch.self).count, 1)
  }
}

struct RefusedExecutorTests {
  @Test func anExecutorWithoutAThreadEndsTheProcess() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      BackgroundThread.$isRefused.withValue(true) { _ = RealmThreadExecutor(name: "alone") }
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    expectTrue(said.contains("No thread could be started for the RealmThreadExecutor 'alone'"))
  }
}
