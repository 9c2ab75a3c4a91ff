// SPDX-License-Identifier: Apache-2.0

// How mistakes are reported: once, with the place in the program, and with what to do.

import Foundation
import RealmStorage
import RealmSwiftTestSupport
import TestExtensions
import Testing

@_spi(RealmTesting) @testable import RealmSwift

/// Writes that are refused in a transaction.
enum RefusedWrite: String, CaseIterable, Codable, Sendable {
  case add, create, createOfOtherValues, delete

  func make(in realm: Realm) throws {
    switch self {
    case .add: realm.add(Person(value: ["id": 1, "name": "x", "dogs": [["name": "new"]]]))
    case .create: realm.create(Person.self, value: ["id": 1, "dogs": [["name": "new"]]])
    case .createOfOtherValues:
      realm.create(Person.self, value: ["id": 9, "dogs": [["name": "new"]], "height": "tall"])
    case .delete:
      let other = try TemporaryRealm().open()
      let dogs = Array(realm.objects(Dog.self))
      realm.delete(dogs + [try other.write { other.create(Dog.self) }])
    }
  }

  /// All that the realm has.
  static func contents(_ realm: Realm) -> String {
    let people = realm.objects(Person.self).map {
      "\($0.id) \($0.name) \($0.age) \($0.height ?? -1) \(Array($0.dogs.map(\.name)))"
    }
    return "\(Array(people)) \(Array(realm.objects(Dog.self).map(\.name)))"
  }
}

struct MisuseReportTests {
  private func said(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }

  /// `RealmException` 3.
  @Test func aMisuseIsReportedOnce() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try TemporaryRealm().open().add(Dog())
    }
    let said = said(result)
    expectEqual(said.components(separatedBy: "Can only add, remove, or create").count, 2)
    expectFalse(said.contains("RealmException.swift"))
    expectFalse(said.contains("Fatal error"))
  }

  @Test func theProgramsOutputComesFirst() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardOutputContent]) {
      // The C library holds output to a pipe back.
      print("printed before")
      try TemporaryRealm().open().add(Dog())
    }
    let printed = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    expectTrue(printed.contains("printed before"))
  }

  /// `RealmException` 1: the threads of these misuses stay where they were refused.
  @Test func aRefusedMisuseChangesNothingAndHoldsNoLock() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let file = try TemporaryRealm()
      let misuses: [@Sendable () throws -> Void] = [
        { try file.open().add(Dog()) },
        { try file.open().deleteAll() },
        { try file.open().objects(Person.self).setValue("x", forKey: "name") },
        { try file.open().freeze().write {} },
      ]
      try onAnotherThread {
        let realm = try file.open()
        try realm.write { _ = realm.create(Person.self, value: ["id": 1, "name": "Ann"]) }
      }
      for (count, misuse) in misuses.enumerated() {
        let said = Traps.text(misuse)
        if said == "nothing" { print("misuse \(count) was not refused") }
        let found = try onAnotherThread { () -> String in
          let realm = try file.open()
          try realm.write { _ = realm.create(Dog.self) }
          let name = realm.objects(Person.self).first?.name ?? "nobody"
          return "\(name) \(realm.objects(Dog.self).count)"
        }
        if found != "Ann \(count + 1)" { print("after '\(said)': \(found)") }
      }
    }
    expectEqual(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self), "")
  }

  /// `ObjectWriter` 1, `ObjectWriter+Create` 1, `ObjectWriter+Delete` 1: when the write is refused,
  /// the transaction is as it was before.
  @Test(arguments: RefusedWrite.allCases)
  func aRefusedWriteHasChangedNothing(_ write: RefusedWrite) async {
    await #expect(processExitsWith: .exitCode(7)) { [write] in
      let (realm, person) = try Misuse.realmWithPerson()
      realm.beginWrite()
      person.dogs.append(Dog(value: ["name": "Rex"]))
      let before = RefusedWrite.contents(realm)
      // Unchecked: the hook is called on this thread.
      nonisolated(unsafe) let shown = realm
      _RealmTesting.trapHook = { _ in exit(RefusedWrite.contents(shown) == before ? 7 : 8) }
      try write.make(in: realm)
      exit(9)
    }
  }

  /// Misuses, and what their messages say: the documented sentence, and then what to do.
  @Test func messagesSayWhatToDo() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let misuses: [(String, @Sendable () throws -> Void)] = [
        (
          "Primary key can't be changed to '5' after an object is inserted. Create a 'Person' with",
          {
            let realm = try TemporaryRealm().open()
            try realm.write { realm.create(Person.self, value: ["id": 1]).id = 5 }
          }
        ),
        (
          "Primary key can't be changed to '7' after",
          {
            let realm = try TemporaryRealm().open()
            try realm.write { realm.create(Person.self, value: ["id": 1])["id"] = 7 }
          }
        ),
        (
          "Invalid value (five) for 'string' array property 'Person.nicknames'",
          { Person().setValue("five", forKey: "nicknames") }
        ),
        (
          "Attempting to modify object outside of a write transaction - call beginWrite() on the "
            + "Realm first. Set properties of 'Dog' in 'realm.write { … }'.",
          {
            let realm = try TemporaryRealm().open()
            try realm.write { realm.create(Dog.self) }.name = "x"
          }
        ),
        (
          "call beginWrite() on the Realm first. Do it in 'realm.write { … }'",
          { try TemporaryRealm().open().add(Dog()) }
        ),
        (
          "The Realm is already in a write transaction. Use 'writeOrJoin'",
          {
            let realm = try TemporaryRealm().open()
            try realm.write { try realm.write {} }
          }
        ),
        (
          "existing primary key value '1'. Give 'update: .modified'",
          {
            let realm = try TemporaryRealm().open()
            try realm.write {
              realm.create(Person.self, value: ["id": 1])
              realm.create(Person.self, value: ["id": 1])
            }
          }
        ),
        (
          "retrieved from a Realm. Add the object that has the List<Int> to a Realm first.",
          { _ = List<Int>().filter("self > 3") }
        ),
        (
          "retrieved from a Realm. Add the object that has the MutableSet<Int> to",
          { _ = MutableSet<Int>().filter("self > 3") }
        ),
        (
          "retrieved from a Realm. Add the object that has the Map<String, Int> to",
          { _ = Map<String, Int>().filter("self > 3") }
        ),
      ]
      for (text, misuse) in misuses {
        let said = Traps.text(misuse)
        if !said.contains(text) { print("not '\(text)' but '\(said)'") }
      }
    }
    expectEqual(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self), "")
  }

  @Test func errorsOfSchemasNameTheFileAndTheRemedy() throws {
    func refusal(_ configuration: Realm.Configuration) -> String {
      do {
        _ = try Realm(configuration: configuration)
        return "nothing"
      } catch { return "\(error)" }
    }
    let file = try TemporaryRealm([OldBook.Book.self])
    let path = file.configuration.location.path
    file.configuration.schemaVersion = 2
    do { _ = try file.open() }
    var configuration = file.configuration
    configuration.objectTypes = [NewBook.Book.self]
    let mismatch = refusal(configuration)
    expectTrue(mismatch.hasPrefix("Migration is required due to the following errors:\n- "))
    expectTrue(mismatch.contains(path))
    expectTrue(mismatch.contains("Raise 'schemaVersion'"))
    configuration.schemaVersion = 1
    let lower = refusal(configuration)
    expectEqual(
      lower,
      "Provided schema version 1 is less than last set version 2. Set 'schemaVersion' of the "
        + "configuration of '\(path)' to 2 or more, or use the newer program that wrote the file.")
    configuration.schemaVersion = 2
    configuration.readOnly = true
    let readOnly = refusal(configuration)
    expectTrue(readOnly.contains(path))
    expectTrue(readOnly.contains("not read-only"))
  }

  /// Each error says what to do once: not the engine's words and the interface's both.
  @Test func everyErrorOfTheEngineHasOneRemedy() throws {
    let file = try TemporaryRealm()
    let path = file.configuration.location.path
    for contents in ["no realm at all, but long enough to hold a header of one", "short"] {
      try Data(contents.utf8).write(to: URL(fileURLWithPath: path))
      do {
        _ = try file.open()
        Issue.record("a file of text was opened")
      } catch {
        let sentences = "\(error)".components(separatedBy: ". ")
        let remedies = sentences.filter { text in
          ["Check ", "Move ", "Delete ", "Restore ", "Open ", "Close ", "Use "].contains {
            text.hasPrefix($0)
          }
        }
        expectEqual(remedies.count, 1, "\(error)")
      }
    }
  }
}

private enum OldBook {
  class Book: Object {
    @Persisted var title: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}

private enum NewBook {
  class Book: Object {
    @Persisted var title: String
    @Persisted var pages: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}
