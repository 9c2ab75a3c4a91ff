// SPDX-License-Identifier: Apache-2.0

// The texts about frequent mistakes: each says what is wrong, where, and what to do.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

/// A class with a property that is not stored, and with one of each kind that texts are about.
private class Labelled: Object {
  enum Kind: String, PersistableEnum { case friend, enemy }
  @Persisted(primaryKey: true) var id: ObjectId
  @Persisted var name = ""
  @Persisted var born = Date(timeIntervalSince1970: 0)
  @Persisted var token = UUID()
  @Persisted var isOpen = false
  @Persisted var age = 0
  @Persisted var kind = Kind.friend
  @Persisted var kinds: List<Kind>
  @Persisted var tags: List<String>
  @Persisted var marks: MutableSet<Int>
  @Persisted var scores: Map<String, Int>
  @Persisted var best: Labelled?
  var note = ""
  var size = 0
  var weight = 0
  var half: Double { 0.5 }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }

  static func realm() throws -> Realm { try TemporaryRealm([Labelled.self]).open() }

  /// A realm with one object.
  static func sample() throws -> (realm: Realm, object: Labelled) {
    let realm = try realm()
    return (realm, try realm.write { realm.create(Labelled.self) })
  }
}

struct ErrorTextTests {
  /// What a program does, and the text that it gets.
  private typealias Row = (text: String, program: @Sendable () throws -> Void)

  private static let keyPaths: [Row] = [
    (
      "Invalid key path: 'Labelled.note' is not @Persisted. The database does not have it, so it "
        + "can neither be searched, sorted nor observed: declare it with @Persisted, or use a "
        + "property that is.",
      { _ = try Labelled.realm().objects(Labelled.self).where { $0.note == "x" } }
    ),
    (
      "Invalid key path: 'Labelled.note' is not @Persisted.",
      { _ = try Labelled.realm().objects(Labelled.self).sorted(by: \.note) }
    ),
    (
      "Invalid key path: 'Labelled.note' is not @Persisted.",
      { _ = try Labelled.realm().objects(Labelled.self).distinct(by: [\.note]) }
    ),
    (
      "Invalid key path: 'Labelled.note' is not @Persisted.",
      { _ = try Labelled.realm().objects(Labelled.self).where { $0.best.note == "x" } }
    ),
    (
      "Invalid key path: a key path of 'Labelled' to a value of type 'Int' leads to one of 'size', "
        + "'weight', which are not @Persisted.",
      { _ = try Labelled.realm().objects(Labelled.self).max(of: \.size) }
    ),
    (
      "Invalid key path: a key path of 'Labelled' to a value of type 'Double' leads to no "
        + "@Persisted property.",
      { _ = try Labelled.realm().objects(Labelled.self).where { $0.half > 1 } }
    ),
  ]

  private static let values: [Row] = [
    (
      "threw Invalid value for an object of type 'Labelled' at 'kind': expected a case of 'Kind': "
        + "'friend', 'enemy', not 'foe' of type 'String'.",
      {
        let realm = try Labelled.realm()
        try realm.write { _ = try realm.create(Labelled.self, validating: ["kind": "foe"]) }
      }
    ),
    (
      "threw Invalid value for an object of type 'Labelled' at 'kinds': expected a case of 'Kind': "
        + "'friend', 'enemy', not ",
      {
        let realm = try Labelled.realm()
        try realm.write { _ = try realm.create(Labelled.self, validating: ["kinds": ["foe"]]) }
      }
    ),
    (
      "Invalid value '5' of type 'Int' for 'string' property 'Labelled.kind'. It takes a case of "
        + "'Kind': 'friend', 'enemy'.",
      {
        let realm = try Labelled.realm()
        try realm.write { _ = realm.create(Labelled.self, value: ["kind": 5]) }
      }
    ),
    (
      "String too big: 16777216 bytes, and the limit is 16777199. Store it in a file of its own, "
        + "and here its path (property 'Labelled.name')",
      {
        let realm = try Labelled.realm()
        try realm.write {
          realm.add(Labelled(value: ["name": String(repeating: "a", count: 1 << 24)]))
        }
      }
    ),
    (
      "Binary too big: 16777217 bytes, and the limit is 16777200. Store them in a file of their "
        + "own, and here its path.", { _ = Data._stored(Data(count: 1 << 24 | 1)) }
    ),
    (
      "The key '$a.b' of 'Labelled.scores' must not start with '$'. Percent-encode it: '%24a%2Eb'.",
      {
        let (realm, object) = try Labelled.sample()
        try realm.write { object.scores["$a.b"] = 1 }
      }
    ),
    (
      "Cannot modify List outside of a write transaction. Change 'Labelled.tags' in 'realm.write { "
        + "… }'.", { try Labelled.sample().object.tags.append("x") }
    ),
    (
      "Cannot modify Results outside of a write transaction. Set 'name' in 'realm.write { … }'.",
      { try Labelled.sample().realm.objects(Labelled.self).setValue("x", forKey: "name") }
    ),
  ]

  private static let positions: [Row] = [
    (
      "Index 0 is out of bounds (must be less than 0). List 'Labelled.tags' is empty.",
      { _ = try Labelled.sample().object.tags[0] }
    ),
    (
      "Index 1 is out of bounds (must be less than 1). Results<Labelled> has one element, at 0.",
      { _ = try Labelled.sample().realm.objects(Labelled.self)[1] }
    ),
    (
      "Index 3 is out of bounds (must be less than 2). MutableSet 'Labelled.marks' has 2 elements, "
        + "at 0 to 1.",
      {
        let (realm, object) = try Labelled.sample()
        try realm.write { object.marks.insert(objectsIn: [5, 7]) }
        _ = object.marks[3]
      }
    ),
    (
      "Index 2 is out of bounds (must be less than 1). List 'Labelled.tags' is empty.",
      {
        let (realm, object) = try Labelled.sample()
        try realm.write { object.tags.insert("x", at: 2) }
      }
    ),
    (
      "Index 1 is out of bounds (must be less than 1). List<String> has one element, at 0.",
      {
        let list = List<String>()
        list.append("x")
        _ = list[1]
      }
    ),
    (
      "Index 0 is out of bounds (must be less than 0). Map<String, Int> is empty.",
      {
        let scores = try Labelled.sample().object.scores
        _ = scores[scores.startIndex]
      }
    ),
    (
      "Indexes for collection are out of bounds. There is no element 4: Results<Labelled> has one "
        + "element, at 0.",
      { _ = try Labelled.sample().realm.objects(Labelled.self).objects(at: [0, 4]) }
    ),
  ]

  private static let transactions: [Row] = [
    (
      "Can't commit a non-existing write transaction. Call beginWrite() first, or use 'realm.write "
        + "{ … }', which commits by itself.", { try Labelled.realm().commitWrite() }
    ),
    (
      "Can't cancel a non-existing write transaction. Call beginWrite() first;",
      { try Labelled.realm().cancelWrite() }
    ),
    (
      "Attempting to modify object outside of a write transaction - call beginWrite() on the Realm "
        + "first. Set properties of 'Labelled' in 'realm.write { … }'.",
      { try Labelled.sample().object.name = "x" }
    ),
    (
      "Can only add, remove, or create objects in a Realm in a write transaction - call "
        + "beginWrite() on the Realm first. Do it in 'realm.write { … }', with the Realm at path '",
      { try Labelled.realm().add(Labelled()) }
    ),
    (
      "This method may only be called on List instances retrieved from a Realm. Add the object "
        + "that has the List<Int> to a Realm first.", { _ = List<Int>().filter("self > 3") }
    ),
    (
      "Object type 'Dog' is not managed by the Realm. If using a custom `objectTypes` array in "
        + "your configuration, add `Dog.self` to it.",
      { _ = try Labelled.realm().objects(Dog.self) }
    ),
  ]

  private static let page = "Documentation/QueryLanguage.md has all literals."

  private static func query(_ text: String, _ format: String) -> Row {
    (text, { _ = try Labelled.realm().objects(Labelled.self).filter(format) })
  }

  private static let queries: [Row] = [
    query(
      "Invalid keypath 'nmae': Property 'nmae' not found in object of type 'Labelled'. Did you "
        + "mean 'name'? At column 13, in: age == 3 && nmae == 'x'", "age == 3 && nmae == 'x'"),
    query(
      "Invalid keypath 'best.agee': Property 'agee' not found in object of type 'Labelled'. Did "
        + "you mean 'age'? At column 1, in: best.agee == 3", "best.agee == 3"),
    query(
      "Invalid keypath 'colour': Property 'colour' not found in object of type 'Labelled', at "
        + "column 1, in: colour == 3", "colour == 3"),
    query(
      "Cannot compare value '507f' of type 'string' to property 'id' of type 'object id'. In a "
        + "query, an ObjectId is written as oid(507f1f77bcf86cd799439011), with 24 hexadecimal "
        + "digits. \(page) At column 1, in: id == '507f'", "id == '507f'"),
    query(
      "Cannot compare value '1950-01-01' of type 'string' to property 'born' of type 'date'. In a "
        + "query, a date is written without quotes, as 1950-01-01 or 1950-01-01@13:05:00. \(page) "
        + "At column 1, in: born > '1950-01-01'", "born > '1950-01-01'"),
    query(
      "Cannot compare value 'x' of type 'string' to property 'token' of type 'uuid'. In a query, a "
        + "UUID is written as uuid(3b241101-e2bb-4255-8caf-4136c566a962). \(page)", "token == 'x'"),
    query(
      "Cannot compare value 'yes' of type 'string' to property 'isOpen' of type 'bool'. In a "
        + "query, a truth is true or false, without quotes. \(page)", "isOpen == 'yes'"),
    query(
      "Cannot compare value '3' of type 'string' to property 'age' of type 'int'. In a query, a "
        + "number is written without quotes. \(page)", "age == '3'"),
    query(
      "Cannot compare value '3' of type 'int' to property 'name' of type 'string'. In a query, a "
        + "text is written in quotes. \(page)", "name == 3"),
    query(
      "Cannot compare value 'x' of type 'string' to property 'best' of type 'object'. In a query, "
        + "an object is written as obj(Class, primaryKey). \(page)", "best == 'x'"),
    (
      "Cannot sort on key path 'nmae': property 'Labelled.nmae' does not exist, but 'name' does.",
      { _ = try Labelled.realm().objects(Labelled.self).sorted(byKeyPath: "nmae") }
    ),
  ]

  /// Words of a language that is not there, and of the implementation of others.
  private static let foreignWords = [
    "RLM", "@objc", "exception", "objectClasses", "beginWriteTransaction", "::", "NSException",
  ]

  @Test func textsSayWhatWhereAndHow() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      for rows in [Self.keyPaths, Self.values, Self.positions, Self.transactions, Self.queries] {
        for (text, program) in rows {
          let said = Traps.text(program)
          if !said.hasPrefix(text) { print("not '\(text)' but '\(said)'") }
          for word in Self.foreignWords where said.contains(word) { print("\(word) in '\(said)'") }
        }
      }
    }
    expectEqual(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self), "")
  }

  #if !canImport(Darwin)
  @Test func aTrapIsPrintedInWordsOfSwift() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try Labelled.sample().object.name = "x"
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    expectTrue(
      said.hasPrefix("RealmSwift ended the program: Attempting to modify object outside of a "),
      "\(said.prefix(300))")
    for word in Self.foreignWords { expectFalse(said.contains(word), "\(word)") }
  }
  #endif

  /// Strings from outside have the same texts, and their column as a number, too.
  @Test func errorsOfParsingHaveTheQueryAndTheColumn() throws {
    let people = try Labelled.realm().objects(Labelled.self)
    let error = #expect(throws: QueryParsingError.self) {
      try people.filter(parsing: "age == 3 AND isOpen == 'yes'")
    }
    expectEqual(error?.column, 14)
    expectTrue(
      error?.localizedDescription.hasSuffix(" At column 14, in: age == 3 AND isOpen == 'yes'")
        ?? false, "\(error?.localizedDescription ?? "")")
  }
}
