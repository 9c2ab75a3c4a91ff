// SPDX-License-Identifier: Apache-2.0

// The way from one state of a property to another has no step too many.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmTables
import TestExtensions
import Testing

@Suite("Differences of properties")
struct PropertyDifferenceTests {
  /// The steps from one state of a property of object `a` to another, without its name.
  ///
  /// They lead there: the second file's property is made equal to the first's by them.
  private func steps(
    _ name: String, from present: (inout Changeset, InternedString) -> Void,
    to wanted: (inout Changeset, InternedString) -> Void
  ) throws -> [String] {
    let (source, target) = (try ItemFile(), try ItemFile())
    for items in [source, target] {
      try items.apply { changeset, item in
        changeset.create(item, "b")
        changeset.create(item, "c")
      }
    }
    try source.apply(wanted)
    try target.apply(present)
    let difference = PropertyDifference.changeset(
      from: try state(name, target), to: try state(name, source))
    try target.file.apply(difference)
    try expectEqual(target.file.digest(), source.file.digest())
    let again = PropertyDifference.changeset(
      from: try state(name, target), to: try state(name, source))
    expectTrue(again.isEmpty)
    return difference.instructions.map {
      difference.line($0).replacing("\"Item\"[\"a\"].\"\(name)\"", with: "")
    }
  }

  private func state(_ name: String, _ items: ItemFile) throws -> Changeset {
    let group = try items.file.read()
    let table = try #require(try group.table(named: "class_Item"))
    let object = try #require(try table.findRow(primaryKey: .string("a"))?.key)
    var writer = ObjectStateWriter(group)
    let column = try #require(table.schema.column(named: name))
    try writer.append(column, of: object, in: table.key)
    return try ChangesetParser.parse(writer.take())
  }

  /// Fills a list of numbers.
  private func numbers(
    _ numbers: Int64...
  ) -> (inout Changeset, InternedString) -> Void {
    { changeset, item in
      for (index, number) in numbers.enumerated() {
        changeset.insert(
          item, "a", "numbers", [.at(UInt32(index))], .int(number), priorSize: UInt32(index))
      }
    }
  }

  @Test func equalStatesNeedNoStep() throws {
    #expect(try steps("numbers", from: numbers(1, 2), to: numbers(1, 2)).isEmpty)
    #expect(try steps("count", from: { _, _ in }, to: { _, _ in }).isEmpty)
  }

  @Test func aScalarIsAssigned() throws {
    let found = try steps("count", from: { _, _ in }) { changeset, item in
      changeset.update(item, "a", "count", to: .int(7))
    }
    expectEqual(found, ["Update  = int(7) prior 0"])
  }

  @Test func listsKeepTheirCommonBeginningAndEnd() throws {
    try expectEqual(
      steps("numbers", from: numbers(1, 2, 4), to: numbers(1, 2, 3, 4)),
      [
        "ArrayInsert [2] = int(3) prior 3"
      ])
    try expectEqual(
      steps("numbers", from: numbers(1, 2, 3, 4), to: numbers(1, 4)),
      [
        "ArrayErase [2] prior 4", "ArrayErase [1] prior 3",
      ])
    try expectEqual(
      steps("numbers", from: numbers(1, 2, 3), to: numbers(1, 9, 3)),
      [
        "Update [1] = int(9) prior 3"
      ])
    try expectEqual(
      steps("numbers", from: numbers(1, 5, 3), to: numbers(1, 9, 8, 3)),
      [
        "Update [1] = int(9) prior 3", "ArrayInsert [2] = int(8) prior 3",
      ])
    try expectEqual(
      steps("numbers", from: numbers(1, 1, 1), to: numbers(1)).count, 2)
    try expectEqual(steps("numbers", from: numbers(1, 2), to: { _, _ in }).count, 2)
  }

  @Test func linksInListsAreAssignedAndInserted() throws {
    let found = try steps(
      "links",
      from: { changeset, item in
        changeset.insertLink(item, "a", "links", "a", at: 0)
        changeset.insertLink(item, "a", "links", "b", at: 1)
      },
      to: { changeset, item in
        changeset.insertLink(item, "a", "links", "c", at: 0)
        changeset.insertLink(item, "a", "links", "later", at: 1)
        changeset.insertLink(item, "a", "links", "b", at: 2)
      })
    expectEqual(found.count, 2)
    expectEqual(found.first?.hasPrefix("Update [0] = link"), true)
    expectEqual(found.last?.hasPrefix("ArrayInsert [1] = link"), true)
  }

  /// A list of embedded objects, each with its number.
  private func parts(
    _ numbers: Int64...
  ) -> (inout Changeset, InternedString) -> Void {
    { changeset, item in
      for (index, number) in numbers.enumerated() {
        let place = UInt32(index)
        changeset.insert(item, "a", "parts", [.at(place)], .objectValue, priorSize: place)
        changeset.update(item, "a", "parts", [.at(place), .key("x")], to: .int(number))
        changeset.update(item, "a", "parts", [.at(place), .key("part")], to: .objectValue)
      }
    }
  }

  @Test func embeddedObjectsKeepTheirEqualProperties() throws {
    try expectEqual(
      steps("parts", from: parts(1, 2, 3), to: parts(1, 5, 3)),
      [
        "Update [1].\"x\" = int(5) prior 0"
      ])
    let deep = try steps("parts", from: parts(1)) { changeset, item in
      parts(1)(&changeset, item)
      changeset.update(item, "a", "parts", [.at(0), .key("part"), .key("x")], to: .int(4))
    }
    expectEqual(deep, ["Update [0].\"part\".\"x\" = int(4) prior 0"])
    let single = try steps(
      "part",
      from: { changeset, item in
        changeset.update(item, "a", "part", to: .objectValue)
      }
    ) { changeset, item in
      changeset.update(item, "a", "part", to: .objectValue)
      changeset.update(item, "a", "part", [.key("x")], to: .int(4))
    }
    expectEqual(single, ["Update .\"x\" = int(4) prior 0"])
    try expectEqual(steps("parts", from: parts(1, 2), to: parts(2)).count, 1)
  }

  @Test func setsKeepWhatTheyHaveInCommon() throws {
    func set(_ numbers: [Int64]) -> (inout Changeset, InternedString) -> Void {
      { changeset, item in
        for number in numbers {
          let path = changeset.path(item, "a", "numberSet")
          changeset.append(.setInsert(.init(path: path, value: .int(number))))
        }
      }
    }
    try expectEqual(
      steps("numberSet", from: set([1, 2]), to: set([2, 3])),
      [
        "SetErase  int(1)", "SetInsert  int(3)",
      ])
    func links(_ keys: [String]) -> (inout Changeset, InternedString) -> Void {
      { changeset, item in
        for key in keys {
          let path = changeset.path(item, "a", "linkSet")
          changeset.append(.setInsert(.init(path: path, value: changeset.link(item, key))))
        }
      }
    }
    #expect(try steps("linkSet", from: links(["b", "c"]), to: links(["c", "b"])).isEmpty)
    let found = try steps("linkSet", from: links(["a", "b"]), to: links(["b", "c"]))
    expectEqual(found.count, 2)
    expectEqual(found.first?.hasPrefix("SetErase"), true)
  }

  @Test func dictionariesKeepWhatTheyHaveInCommon() throws {
    func map(_ entries: [(String, Int64)]) -> (inout Changeset, InternedString) -> Void {
      { changeset, item in
        for (key, number) in entries {
          changeset.update(item, "a", "numberMap", [.key(key)], to: .int(number))
        }
      }
    }
    let found = try steps(
      "numberMap", from: map([("k", 1), ("l", 2), ("m", 3)]),
      to: map([("l", 2), ("m", 4), ("n", 5)]))
    expectEqual(
      found,
      [
        "Update .\"k\" = erased prior 0", "Update .\"m\" = int(4) prior 0",
        "Update .\"n\" = int(5) prior 0",
      ])
  }

  @Test func mixedValuesChangeWhereTheyDiffer() throws {
    func nested(_ last: Int64) -> (inout Changeset, InternedString) -> Void {
      { changeset, item in
        changeset.update(item, "a", "any", to: .list)
        changeset.insert(item, "a", "any", [.at(0)], .int(1), priorSize: 0)
        changeset.insert(item, "a", "any", [.at(1)], .dictionary, priorSize: 1)
        changeset.update(item, "a", "any", [.at(1), .key("k")], to: .int(last))
      }
    }
    try expectEqual(
      steps("any", from: nested(2), to: nested(3)),
      [
        "Update [1].\"k\" = int(3) prior 0"
      ])
    let replaced = try steps("any", from: nested(2)) { changeset, item in
      changeset.update(item, "a", "any", to: .int(1))
    }
    expectEqual(replaced, ["Update  = int(1) prior 0"])
    try expectEqual(
      steps(
        "any",
        from: { changeset, item in
          changeset.update(item, "a", "any", to: .int(1))
        }, to: nested(2)
      ).count, 6)
    // An element that becomes a collection is inserted in place of the other.
    try expectEqual(
      steps(
        "any",
        from: { changeset, item in
          changeset.update(item, "a", "any", to: .list)
          changeset.insert(item, "a", "any", [.at(0)], .int(1), priorSize: 0)
          changeset.insert(item, "a", "any", [.at(1)], .int(2), priorSize: 1)
        }, to: nested(2)
      ).first, "ArrayErase [1] prior 2")
  }
}
