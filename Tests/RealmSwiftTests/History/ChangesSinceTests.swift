// SPDX-License-Identifier: Apache-2.0

// What changed since a token: the objects, their properties, and how far back a file reaches.

import Foundation
import RealmStorage
import RealmSwiftTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@_spi(RealmTesting) @testable import RealmSwift

struct ChangesSinceTests {
  private func parcels(_ realm: Realm, _ codes: String...) throws {
    try realm.write {
      for code in codes { realm.create(HistoryParcel.self, value: ["code": code]) }
    }
  }

  private func parcel(_ code: String, in realm: Realm) throws -> HistoryParcel {
    try #require(realm.object(ofType: HistoryParcel.self, forPrimaryKey: code))
  }

  private func codes(_ ids: [PersistentID<HistoryParcel>]) -> [String] {
    ids.map { $0.primaryKey as? String ?? "?" }.sorted()
  }

  @Test func objectsThatCameChangedAndWentAreGiven() throws {
    let realm = try TemporaryRealm.keepingHistory().open()
    try parcels(realm, "a", "b", "c")
    let token = realm.historyToken
    try parcels(realm, "d", "e")
    try realm.write {
      try parcel("a", in: realm).weight = 5
      realm.delete(try parcel("b", in: realm))
      realm.delete(try parcel("e", in: realm))
    }
    let changes = try realm.changes(since: token)
    expectEqual(changes.classNames, ["HistoryParcel"])
    let own = changes[HistoryParcel.self]
    expectEqual(codes(own.insertions), ["d"])
    expectEqual(codes(own.deletions), ["b"])
    expectEqual(codes(own.modifications.map(\.id)), ["a"])
    expectEqual(own.modifications.map(\.propertyNames), [["weight"]])
    expectEqual(own.insertions.compactMap { realm[$0]?.code }, ["d"])
    expectTrue(changes[HistoryNote.self].isEmpty)
    expectEqual(changes.token, realm.historyToken)
    expectFalse(changes.isEmpty)
    #expect(try realm.changes(since: changes.token).isEmpty)
  }

  @Test func tokensAreGoodAfterTheFileWasClosed() throws {
    let file = try TemporaryRealm.keepingHistory()
    var stored = Data()
    do {
      let realm = try file.open()
      try parcels(realm, "a")
      stored = try JSONEncoder().encode(realm.historyToken)
      try parcels(realm, "b")
    }
    do {
      let realm = try file.open()
      try realm.write { realm.delete(try parcel("a", in: realm)) }
    }
    let token = try JSONDecoder().decode(HistoryToken.self, from: stored)
    file.configuration.readOnly = true
    let changes = try file.open().changes(since: token)[HistoryParcel.self]
    expectEqual(codes(changes.insertions), ["b"])
    expectEqual(codes(changes.deletions), ["a"])
  }

  @Test func objectsWithoutPrimaryKeyAreGivenByTheirRows() throws {
    let realm = try TemporaryRealm.keepingHistory().open()
    let notes = try realm.write { () -> [HistoryNote] in
      ["x", "y"].map { realm.create(HistoryNote.self, value: ["text": $0]) }
    }
    let gone = PersistentID(notes[0])
    let kept = PersistentID(notes[1])
    let token = realm.historyToken
    try realm.write {
      realm.delete(notes[0])
      notes[1].text = "z"
    }
    let changes = try realm.changes(since: token)
    expectEqual(changes[HistoryNote.self].deletions, [gone])
    expectEqual(changes[HistoryNote.self].modifications.map(\.id), [kept])
    expectTrue(gone.primaryKey == nil)
    let dynamic = changes.dynamicChanges(ofType: "HistoryNote").modifications
    let object = realm.dynamicObject(
      ofType: "HistoryNote", identifiedBy: try #require(dynamic.first?.id))
    expectEqual(object?.text as? String, "z")
  }

  @Test func writesOfEmbeddedObjectsCountForTheirOwners() throws {
    let realm = try TemporaryRealm.keepingHistory().open()
    try realm.write {
      for code in ["a", "b", "c"] {
        realm.create(
          HistoryParcel.self,
          value: [
            "code": code, "label": ["town": "Rome", "inner": ["price": 1]],
            "stops": [["town": "Pisa"]],
          ])
      }
    }
    let token = realm.historyToken
    try realm.write {
      try parcel("a", in: realm).label?.inner?.price = 2
      try parcel("b", in: realm).stops[0].town = "Bari"
      try parcel("c", in: realm).label = nil
      realm.create(HistoryParcel.self, value: ["code": "d", "label": ["town": "Turin"]])
      try parcel("d", in: realm).label?.town = "Milan"
    }
    let changes = try realm.changes(since: token)
    expectEqual(changes.classNames, ["HistoryParcel"])
    let found = changes[HistoryParcel.self].modifications.map {
      "\($0.id.primaryKey ?? "") \($0.propertyNames)"
    }
    expectEqual(found.sorted(), ["a [\"label\"]", "b [\"stops\"]", "c [\"label\"]"])
    expectEqual(codes(changes[HistoryParcel.self].insertions), ["d"])
  }

  @Test func anObjectThatIsReplacedIsDeletedAndInserted() throws {
    let realm = try TemporaryRealm.keepingHistory().open()
    try parcels(realm, "a")
    let token = realm.historyToken
    try realm.write { realm.delete(try parcel("a", in: realm)) }
    try parcels(realm, "a")
    let changes = try realm.changes(since: token)[HistoryParcel.self]
    expectEqual(codes(changes.insertions), ["a"])
    expectEqual(codes(changes.deletions), ["a"])
  }

  @Test func aWriteTransactionShowsTheVersionBeforeIt() throws {
    let realm = try TemporaryRealm.keepingHistory().open()
    try parcels(realm, "a")
    let token = realm.historyToken
    try parcels(realm, "b")
    let later = realm.historyToken
    realm.beginWrite()
    realm.create(HistoryParcel.self, value: ["code": "c"])
    expectEqual(realm.historyToken, later)
    expectEqual(codes(try realm.changes(since: token)[HistoryParcel.self].insertions), ["b"])
    realm.cancelWrite()
  }

  // MARK: How far back

  @Test func theLastCommitsAreKept() throws {
    let file = try TemporaryRealm.keepingHistory(16)
    let realm = try file.open()
    var tokens: [HistoryToken] = []
    for code in 0..<200 {
      try parcels(realm, "\(code)")
      tokens.append(realm.historyToken)
      for back in [1, 8, 16] where back <= code {
        let changes = try realm.changes(since: tokens[code - back])
        expectEqual(changes[HistoryParcel.self].insertions.count, back)
      }
    }
    try ReferenceReader.check(file.configuration)
    // An eighth more at most.
    #expect(throws: HistoryError.self) { try realm.changes(since: tokens[199 - 19]) }
    do {
      _ = try realm.changes(since: tokens[0])
      Issue.record("the first version is still there")
    } catch let error as HistoryError {
      expectEqual(error.code, .truncated)
      expectTrue(error.fileURL != nil)
      expectEqual(error.errorDescription?.contains("Read all objects again"), true)
    }
  }

  /// `DeletionRecord` 1 and 2.
  @Test func deletionsAreKeptAsLongAsTheHistory() throws {
    let realm = try TemporaryRealm.keepingHistory(16).open()
    for code in 0..<60 {
      try parcels(realm, "\(code)")
      try realm.write { realm.delete(try parcel("\(code)", in: realm)) }
      let found = try realm.core.readableTables().table(named: DeletionRecord.tableName)
      let table = try #require(found)
      let column = try #require(table.schema.column(named: "version"))
      let versions = try (0..<table.objectCount()).map { position -> Int in
        let row = try table.row(of: try #require(try table.key(at: position)))
        guard case .int(let version) = try row?.value(of: column) else { return -1 }
        return Int(version)
      }
      expectEqual(versions, versions.sorted())
      expectEqual(versions.last, Int(realm.core.file.newestVersion))
      // The first one is the identity of the file; an eighth more of the others at most.
      expectTrue(versions.count <= 1 + (16 + 2 + 1), "\(versions)")
    }
  }

  @Test func aFileWithoutLimitKeepsWhatReadersNeed() throws {
    let realm = try TemporaryRealm(HistoryModels.types).open()
    try parcels(realm, "a")
    let token = realm.historyToken
    try parcels(realm, "b")
    try parcels(realm, "c")
    #expect(throws: HistoryError.self) { try realm.changes(since: token) }
  }

  @Test func deletionsByWritersWithoutLimitAreNotGuessed() throws {
    let file = try TemporaryRealm(HistoryModels.types)
    let realm = try file.open()
    try parcels(realm, "a", "b")
    let token = realm.historyToken
    // The frozen realm keeps the version, and with it the history.
    try withExtendedLifetime(realm.freeze()) {
      try realm.write { realm.delete(try parcel("a", in: realm)) }
      #expect(throws: HistoryError.self) { try realm.changes(since: token) }
    }
  }

  @Test func tokensOfOtherFilesAreRefused() throws {
    let first = try TemporaryRealm.keepingHistory().open()
    let second = try TemporaryRealm.keepingHistory().open()
    try parcels(first, "a")
    try parcels(second, "b")
    let token = first.historyToken
    for code in ["c", "d"] {
      try parcels(second, code)
      let error = #expect(throws: HistoryError.self) { try second.changes(since: token) }
      expectEqual(error?.code, .foreignToken)
    }
    try parcels(first, "e", "f")
    try parcels(first, "g")
    let newer = first.historyToken
    try parcels(first, "h")
    let late = first.historyToken
    expectTrue(late != newer)
    let error = #expect(throws: HistoryError.self) { try second.changes(since: late) }
    expectEqual(error?.code, .foreignToken)
  }

  @Test func removedClassesEndTheHistory() throws {
    let file = try TemporaryRealm.keepingHistory()
    let token: HistoryToken
    file.configuration.objectTypes = HistoryModels.types + [AllTypes.self]
    do {
      let realm = try file.open()
      try realm.write { realm.create(AllTypes.self) }
      token = realm.historyToken
    }
    file.configuration.schemaVersion = 1
    do { #expect(try file.open().changes(since: token).isEmpty) }
    file.configuration.schemaVersion = 2
    file.configuration.migrationBlock = { migration, _ in
      migration.deleteData(forType: "AllTypes")
    }
    file.configuration.objectTypes = HistoryModels.types
    let error = #expect(throws: HistoryError.self) { try file.open().changes(since: token) }
    expectEqual(error?.code, .truncated)
  }

  @Test func compactionKeepsTheHistory() throws {
    let file = try TemporaryRealm.keepingHistory()
    let token: HistoryToken
    do {
      let realm = try file.open()
      try parcels(realm, "a", "b")
      token = realm.historyToken
      try realm.write { realm.delete(try parcel("a", in: realm)) }
    }
    file.configuration.shouldCompactOnLaunch = { _, _ in true }
    do {
      let changes = try file.open().changes(since: token)
      expectEqual(codes(changes[HistoryParcel.self].deletions), ["a"])
    }
    try ReferenceReader.check(file.configuration)
    // Without a limit, the copy is a new file.
    file.configuration.historyLimit = 0
    #expect(throws: HistoryError.self) { try file.open().changes(since: token) }
  }

  /// `DeletionRecord` 3
  @Test func copiesBeginAHistoryOfTheirOwn() throws {
    let file = try TemporaryRealm.keepingHistory()
    let copy = try TemporaryRealm.keepingHistory()
    do {
      let realm = try file.open()
      try parcels(realm, "a", "b", "c")
      for code in ["a", "b"] {
        try realm.write { realm.delete(try parcel(code, in: realm)) }
      }
      try realm.writeCopy(toFile: try #require(copy.configuration.fileURL))
    }
    let realm = try copy.open()
    let token = realm.historyToken
    #expect(try realm.changes(since: token).isEmpty)
    try parcels(realm, "a")
    try realm.write { realm.delete(try parcel("c", in: realm)) }
    let changes = try realm.changes(since: token)[HistoryParcel.self]
    expectEqual(codes(changes.insertions), ["a"])
    expectEqual(codes(changes.deletions), ["c"])
    expectEqual(realm.dynamicObjects("HistoryParcel").count, 1)
    #expect(realm.schema.objectSchema.map(\.className).allSatisfy { $0.hasPrefix("History") })
  }

  @Test func negativeLimitsAreRefused() async {
    await #expect(processExitsWith: .success) {
      let text = Traps.text {
        var configuration = Realm.Configuration()
        configuration.historyLimit = -1
      }
      expectEqual(text, "'historyLimit' must not be negative.")
    }
  }

  // MARK: Against a model

  @Test(arguments: 0..<20) func changesAreTheDifferenceOfTheStates(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let file = try TemporaryRealm.keepingHistory(1000)
    var realm = try file.open()
    var states: [(token: HistoryToken, weights: [String: Int])] = [(realm.historyToken, [:])]
    for _ in 0..<40 {
      var weights = states[states.count - 1].weights
      try realm.write {
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
          let code = "p\(Int.random(in: 0..<12, using: &generator))"
          let weight = Int.random(in: 0..<1000, using: &generator)
          if weights[code] != nil, Bool.random(using: &generator) {
            realm.delete(try parcel(code, in: realm))
            weights[code] = nil
          } else {
            realm.create(
              HistoryParcel.self, value: ["code": code, "weight": weight], update: .modified)
            weights[code] = weight
          }
        }
      }
      states.append((realm.historyToken, weights))
      if Int.random(in: 0..<10, using: &generator) == 0 { realm = try file.open() }
      let old = states[Int.random(in: 0..<states.count, using: &generator)]
      let changes = try realm.changes(since: old.token)[HistoryParcel.self]
      // An object that was replaced is in both lists.
      let deleted = Set(codes(changes.deletions))
      let inserted = Set(codes(changes.insertions))
      expectEqual(deleted.subtracting(inserted), Set(old.weights.keys).subtracting(weights.keys))
      expectEqual(inserted.subtracting(deleted), Set(weights.keys).subtracting(old.weights.keys))
      let changed = weights.filter { old.weights[$0.key] != nil && old.weights[$0.key] != $0.value }
      let modified = Set(codes(changes.modifications.map(\.id)))
      expectTrue(Set(changed.keys).subtracting(inserted).isSubset(of: modified))
      expectTrue(modified.isDisjoint(with: inserted))
      expectTrue(modified.isDisjoint(with: deleted))
    }
  }
}
