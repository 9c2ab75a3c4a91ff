// SPDX-License-Identifier: Apache-2.0

// Instructions about classes, properties and objects: each row of P2 C.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmTables
import TestExtensions
import Testing

@Suite("Applied classes and objects")
struct ApplySchemaTests {
  private let items: ItemFile

  init() throws { items = try ItemFile() }

  // MARK: Classes

  @Test func aClassThatIsThereIsLeftAlone() throws {
    let before = try items.file.digest()
    try items.apply { changeset, _ in _ = changeset.addItems() }
    try expectEqual(items.file.digest(), before)
  }

  @Test func aClassThatIsThereMustBeOfTheSameKind() throws {
    let problem = ApplyProblem.classMismatch("Item")
    try items.expectBad(problem) { changeset, _ in
      changeset.addClass("Item", kind: .asymmetric, key: ("id", .string, false))
    }
    try items.expectBad(problem) { changeset, _ in changeset.addClass("Item", kind: .embedded) }
    try items.expectBad(.classMismatch("Part")) { changeset, _ in
      changeset.addClass("Part", key: ("", .globalKey, false))
    }
  }

  @Test func aClassThatIsThereMustHaveTheSameKey() throws {
    let problem = ApplyProblem.classMismatch("Item")
    for key in [("key", .string, false), ("id", .int, false), ("id", .string, true)]
      as [(String, PayloadType, Bool)]
    {
      try items.expectBad(problem) { changeset, _ in changeset.addClass("Item", key: key) }
    }
    try items.expectBad(problem) { changeset, _ in
      changeset.addClass("Item", key: ("", .globalKey, false))
    }
    try items.expectBad(.classMismatch("Free")) { changeset, _ in
      changeset.addClass("Free", key: ("id", .int, false))
    }
  }

  @Test func namesThatCannotBeStoredAreRefused() throws {
    for name in ["", "a\0b", "\0"] {
      try items.expectBad(.badName(name)) { changeset, _ in
        changeset.addClass(name, key: ("id", .int, false))
      }
      try items.expectBad(.badName(name)) { changeset, _ in
        changeset.addProperty("Item", name, .int)
      }
      try items.expectBad(.badName(name)) { changeset, _ in
        changeset.addClass("New", key: (name, .int, false))
      }
    }
    try items.expectBad { changeset, _ in
      changeset.addClass(String(repeating: "n", count: 64), key: ("id", .int, false))
    }
  }

  @Test func aClassIsErased() throws {
    try items.apply { changeset, _ in
      changeset.append(
        .eraseColumn(.init(table: changeset.intern("Item"), field: changeset.intern("free"))))
      changeset.append(.eraseTable(changeset.intern("Free")))
    }
    #expect(try items.file.read().table(named: "class_Free") == nil)
  }

  @Test func aMissingClassIsNotErased() throws {
    try items.expectBad(.missingClass("None")) { changeset, _ in
      changeset.append(.eraseTable(changeset.intern("None")))
    }
  }

  @Test func aClassThatIsLinkedToIsNotErased() throws {
    try items.expectBad { changeset, _ in
      changeset.append(.eraseTable(changeset.intern("Free")))
    }
  }

  // MARK: Properties

  @Test func aPropertyThatIsThereMustBeOfTheSameType() throws {
    let problem = ApplyProblem.propertyMismatch("Item.count")
    try items.expectBad(problem) { changeset, _ in
      changeset.addProperty("Item", "count", .string)
    }
    try items.expectBad(problem) { changeset, _ in
      changeset.addProperty("Item", "count", .int, .list)
    }
    try items.expectBad(.propertyMismatch("Item.link")) { changeset, _ in
      changeset.addProperty("Item", "link", .link, isNullable: true, target: "Free")
    }
  }

  @Test func theNullabilityOfAPropertyIsNotCompared() throws {
    try items.apply { changeset, _ in
      changeset.addProperty("Item", "count", .int, isNullable: true)
      changeset.addProperty("Item", "maybe", .int)
    }
    try expectEqual(items.table().schema.column(named: "count")?.isNullable, false)
    try expectEqual(items.table().schema.column(named: "maybe")?.isNullable, true)
  }

  @Test func aLinkNeedsItsClass() throws {
    try items.expectBad(.missingClass("None")) { changeset, _ in
      changeset.addProperty("Item", "other", .link, isNullable: true, target: "None")
    }
    try items.expectBad(.missingClass("None")) { changeset, _ in
      changeset.addProperty("None", "other", .int)
    }
  }

  @Test func aLinkToAnyClassIsAColumnOfTypedLinks() throws {
    try items.apply { changeset, _ in
      changeset.addProperty("Item", "anyLink", .link, isNullable: true, target: "")
    }
    try expectEqual(items.table().schema.column(named: "anyLink")?.type, .typedLink)
  }

  @Test func embeddedObjectsAreInNoSet() throws {
    try items.expectBad(.propertyMismatch("Item.partSet")) { changeset, _ in
      changeset.addProperty("Item", "partSet", .link, .set, target: "Part")
    }
  }

  @Test func aPropertyIsErased() throws {
    try items.apply { changeset, item in
      changeset.append(.eraseColumn(.init(table: item, field: changeset.intern("count"))))
    }
    try expectEqual(items.table().schema.column(named: "count"), nil)
  }

  @Test func aMissingPropertyOrAPrimaryKeyIsNotErased() throws {
    try items.expectBad(.missingProperty("none")) { changeset, item in
      changeset.append(.eraseColumn(.init(table: item, field: changeset.intern("none"))))
    }
    try items.expectBad { changeset, item in
      changeset.append(.eraseColumn(.init(table: item, field: changeset.intern("id"))))
    }
  }

  // MARK: Objects

  @Test func anObjectThatIsThereIsLeftAlone() throws {
    try items.apply { changeset, item in
      changeset.update(item, "a", "count", to: .int(5))
      changeset.create(item, "a")
    }
    try expectEqual(items.value("count"), .int(5))
    try expectEqual(items.table().objectCount(), 1)
  }

  @Test func aKeyMustBeOfItsType() throws {
    for key in [PrimaryKey.null, .int(1), .globalKey(GlobalKey(high: 0, low: 1))] {
      try items.expectBad(.badKey("Item")) { changeset, item in
        changeset.append(.createObject(.init(table: item, key: key)))
      }
    }
    try items.expectBad(.badKey("Free")) { changeset, _ in
      let free = changeset.intern("Free")
      changeset.append(.createObject(.init(table: free, key: .int(1))))
    }
  }

  @Test func aKeyMayBeNullIfThePropertyMay() throws {
    try items.apply { changeset, _ in
      changeset.addClass("Maybe", key: ("id", .int, true))
      changeset.append(.createObject(.init(table: changeset.intern("Maybe"), key: .null)))
    }
    #expect(try items.table("Maybe").findRow(primaryKey: .null) != nil)
  }

  @Test func embeddedObjectsAreNotCreatedOrErasedByThemselves() throws {
    let key = PrimaryKey.globalKey(GlobalKey(high: 0, low: 1))
    try items.expectBad(.embeddedClass("Part")) { changeset, _ in
      changeset.append(.createObject(.init(table: changeset.intern("Part"), key: key)))
    }
    try items.expectBad(.embeddedClass("Part")) { changeset, _ in
      changeset.append(.eraseObject(.init(table: changeset.intern("Part"), key: key)))
    }
  }

  /// `InstructionApplier` 2
  @Test func anErasedObjectIsWrittenNoMore() throws {
    for comesBack in [false, true] {
      func write(_ changeset: inout Changeset, _ item: InternedString) {
        changeset.update(item, "a", "count", to: .int(7))
        changeset.erase(item, "a")
        if comesBack { changeset.create(item, "a") }
        changeset.update(item, "a", "maybe", to: .int(8))
      }
      if comesBack {
        try items.apply(write)
        try expectEqual(items.value("count"), .int(0))
        try expectEqual(items.value("maybe"), .int(8))
      } else {
        try items.expectBad(.path(.missingObject(table: "Item"))) { write(&$0, $1) }
      }
    }
    // Those of a class go with it.
    try items.expectBad(.path(.missingObject(table: "Other"))) { changeset, _ in
      let other = changeset.intern("Other")
      for isFirst in [true, false] {
        changeset.addClass("Other", key: ("id", .string, false))
        changeset.addProperty("Other", "count", .int)
        if isFirst {
          changeset.create(other, "a")
          changeset.update(other, "a", "count", to: .int(1))
          changeset.append(.eraseTable(other))
        }
      }
      changeset.update(other, "a", "count", to: .int(2))
    }
  }

  @Test func aMissingObjectIsErasedSilently() throws {
    try items.apply { changeset, item in changeset.erase(item, "none") }
    try items.expectBad(.missingClass("None")) { changeset, _ in
      changeset.erase(changeset.intern("None"), "a")
    }
  }

  @Test func linksToAnErasedObjectComeBackWithIt() throws {
    try items.apply { changeset, item in
      changeset.create(item, "b")
      let link = changeset.link(item, "b")
      changeset.update(item, "a", "link", to: link)
      changeset.update(item, "a", "any", to: changeset.link(item, "b"))
      changeset.insertLink(item, "a", "links", "b", at: 0)
      changeset.insertLink(item, "a", "links", "a", at: 1)
      changeset.update(item, "a", "linkMap", [.key("k")], to: changeset.link(item, "b"))
      let members = changeset.path(item, "a", "linkSet")
      changeset.append(.setInsert(.init(path: members, value: changeset.link(item, "b"))))
      changeset.erase(item, "b")
    }
    #expect(try !items.exists("b"))
    try expectEqual(items.value("link"), .null)
    try expectEqual(items.value("any"), .null)
    try expectEqual(items.links("links"), ["a"])
    try expectEqual(items.links("linkMap"), ["null"])
    try expectEqual(items.links("linkSet"), [])
    try items.apply { changeset, item in changeset.create(item, "b") }
    for name in ["link", "any", "linkMap", "linkSet"] {
      try expectEqual(items.links(name), ["b"], "\(name)")
    }
    try expectEqual(items.links("links"), ["b", "a"])
  }

  @Test func anErasedObjectWithoutLinksLeavesNothing() throws {
    try items.apply { changeset, item in
      changeset.create(item, "b")
      changeset.update(item, "b", "part", to: .objectValue)
      changeset.update(item, "b", "link", to: changeset.link(item, "a"))
      changeset.erase(item, "b")
    }
    try expectEqual(items.table().tombstones?.count() ?? 0, 0)
    try expectEqual(items.table("Part").objectCount(), 0)
    #expect(try DatabaseCheck.run(items.file.file.snapshot()).isEmpty)
  }

  @Test func objectsWithoutKeyAreKnownByTheirFile() throws {
    let own = PrimaryKey.globalKey(GlobalKey(high: 0, low: 3))
    let other = PrimaryKey.globalKey(GlobalKey(high: 7, low: 3))
    try items.apply { changeset, item in
      let free = changeset.intern("Free")
      for key in [own, other, other] {
        changeset.append(.createObject(.init(table: free, key: key)))
      }
      changeset.update(item, "a", "free", to: .link(table: free, key: other))
    }
    try expectEqual(items.table("Free").objectCount(), 2)
    // Once the file has its identifier, its own objects are sent with that.
    let group = try WriteGroup(items.file.file.beginWrite())
    var applier = InstructionApplier(group, file: FileIdentifier(9))
    var changeset = Changeset()
    let free = changeset.intern("Free")
    let known = PrimaryKey.globalKey(GlobalKey(high: 9, low: 3))
    changeset.append(.eraseObject(.init(table: free, key: known)))
    try applier.apply(changeset)
    _ = try group.commit()
    try expectEqual(items.table("Free").objectCount(), 1)
    #expect(try items.value("free") != .null)
    try items.expectBad(.badKey("Free")) { changeset, _ in
      let key = PrimaryKey.globalKey(GlobalKey(high: 1 << 30, low: 3))
      changeset.append(.createObject(.init(table: changeset.intern("Free"), key: key)))
    }
  }

  /// `InstructionApplier` 3.
  @Test func whatIsAppliedIsNotRecordedButLogged() throws {
    let recorder = SyncRecorder()
    let group = try WriteGroup(items.file.file.beginWrite())
    group.recorder = recorder
    var changeset = Changeset()
    let item = changeset.intern("Item")
    changeset.create(item, "b")
    var applier = InstructionApplier(group)
    try applier.apply(changeset)
    #expect(try recorder.finish(group).isEmpty)
    expectTrue(group.recorder != nil)
    expectFalse(group.log.isEmpty)
    group.rollback()
  }

  // MARK: Many properties

  /// Properties are added together, and are there for the instruction that follows.
  /// `InstructionApplier` 1.
  @Test func propertiesAreThereForWhatFollows() throws {
    try items.apply { changeset, item in
      changeset.addProperty("Item", "early", .int)
      changeset.addProperty("Free", "text", .string)
      changeset.addProperty("Item", "late", .int)
      changeset.addProperty("Item", "early", .int)
      changeset.update(item, "a", "late", to: .int(4))
      changeset.addProperty("Item", "last", .int)
    }
    try expectEqual(items.value("late"), .int(4))
    try expectEqual(items.value("last"), .int(0))
    #expect(try items.table("Free").schema.column(named: "text") != nil)
    try items.expectBad(.propertyMismatch("Item.other")) { changeset, _ in
      changeset.addProperty("Item", "other", .int)
      changeset.addProperty("Item", "other", .string)
    }
  }

  private func problem(
    _ limits: ApplyLimits, _ body: (inout Changeset) -> Void
  ) throws -> ApplyProblem? {
    let group = try WriteGroup(items.file.file.beginWrite())
    defer { group.rollback() }
    var applier = InstructionApplier(group, limits: limits)
    var changeset = Changeset()
    body(&changeset)
    do throws(ApplyError) {
      try applier.apply(changeset)
      return nil
    } catch {
      guard case .badChangeset(let problem, _) = error else { throw error }
      return problem
    }
  }

  @Test func aClassHasALimitOfProperties() throws {
    let limit = try items.table().schema.columns.count + 3
    let limits = ApplyLimits(propertyCountMax: limit)
    for (count, found) in [(3, nil), (4, ApplyProblem.tooManyProperties("Item", limit))] {
      let problem = try problem(limits) { changeset in
        for number in 0..<count { changeset.addProperty("Item", "new\(number)", .int) }
      }
      expectEqual(problem, found)
    }
  }

  @Test func aFileHasALimitOfClasses() throws {
    let limit = try items.file.read().tableKeys().count + 2
    for (count, found) in [(2, nil), (3, ApplyProblem.tooManyClasses(limit))] {
      let problem = try problem(ApplyLimits(classCountMax: limit)) { changeset in
        for number in 0..<count { changeset.addClass("New\(number)", key: ("id", .int, false)) }
      }
      expectEqual(problem, found)
    }
  }

  /// All instructions count, and properties that come one by one as all objects are written again.
  @Test func allInstructionsAreWork() throws {
    let item = { (changeset: inout Changeset) in changeset.intern("Item") }
    let many = try problem(ApplyLimits(work: 100_000)) { changeset in
      let item = item(&changeset)
      for number in 0..<101 { changeset.create(item, "\(number)") }
    }
    expectEqual(many, .tooMuchWork)
    for (isMixed, found) in [(false, nil), (true, ApplyProblem.tooMuchWork)] {
      let problem = try problem(ApplyLimits(work: 500_000)) { changeset in
        let item = item(&changeset)
        for number in 0..<200 { changeset.create(item, "\(number)") }
        for number in 0..<30 {
          changeset.addProperty("Item", "new\(number)", .int)
          if isMixed { changeset.create(item, "a") }
        }
      }
      expectEqual(problem, found)
    }
  }
}
