// SPDX-License-Identifier: Apache-2.0

// Instructions of all kinds about properties that are hidden: what is taken out of an upload, and
// what is left of the rest.

import RealmFormats
import RealmReplication
import RealmSyncProtocol
import RealmText
import TestExtensions
import Testing

@testable import RealmServerEngine

struct UnreadFieldTests {
  /// Makes a changeset about one object of a class `Doc`.
  private struct Maker {
    var changeset = Changeset()

    mutating func path(
      _ field: String, _ key: String = "k", _ elements: [PathElement] = []
    ) -> InstructionPath {
      let range = changeset.addElements(elements)
      return InstructionPath(
        table: changeset.intern("Doc"), key: .string(changeset.intern(key)),
        field: changeset.intern(field), elements: range)
    }

    mutating func create(_ key: String = "k") {
      let object = ObjectReference(
        table: changeset.intern("Doc"), key: .string(changeset.intern(key)))
      changeset.append(.createObject(object))
    }

    mutating func update(_ field: String, _ value: Payload, _ key: String = "k") {
      let path = path(field, key)
      changeset.append(.update(.init(path: path, value: value)))
    }

    /// A change of each kind in a property, with strings that are nowhere else.
    mutating func changeAll(of field: String, _ secret: String) {
      update(field, .string(changeset.addBytes("\(secret)-text")))
      let table = changeset.intern("\(secret)-class")
      let key = PrimaryKey.string(changeset.intern("\(secret)-key"))
      update(field, .link(table: table, key: key))
      update(field, .objectValue)
      let step = PathElement.key(changeset.intern("\(secret)-entry"))
      let inner = path(field, "k", [step])
      changeset.append(.update(.init(path: inner, value: .int(3))))
      let counter = path(field)
      changeset.append(.addInteger(.init(path: counter, amount: 3)))
      let first = path(field, "k", [.index(0)])
      changeset.append(.arrayInsert(.init(path: first, value: .int(1), priorSize: 0)))
      let moved = path(field, "k", [.index(0)])
      changeset.append(.arrayMove(.init(path: moved, target: 1, priorSize: 2)))
      let erased = path(field, "k", [.index(0)])
      changeset.append(.arrayErase(.init(path: erased, priorSize: 2)))
      let whole = path(field)
      changeset.append(.setInsert(.init(path: whole, value: .int(1))))
      let again = path(field)
      changeset.append(.setErase(.init(path: again, value: .int(1))))
    }
  }

  private static let fields = ReadFilters(
    fallback: .constant(true), otherFields: FieldSelection(others: true, exceptions: ["secret"]))

  private static func unread() throws -> UnreadFields {
    let none = try #require(ViewFilters(""))
    return try #require(UnreadFields(fields, none))
  }

  private static func lines(_ changeset: Changeset) -> [String] {
    changeset.instructions.map { changeset.line($0) }
  }

  /// `UnreadFields` 1
  @Test func eachKindOfWriteIsFound() throws {
    var maker = Maker()
    maker.changeAll(of: "secret", "x")
    let all = maker.changeset
    for instruction in all.instructions {
      var changeset = all
      changeset.instructions = [instruction]
      let taken = try Self.unread().take(from: &changeset, base: 0)
      expectEqual(taken.refused.count, 1, "\(all.line(instruction))")
      expectFalse(taken.isChanged, "\(all.line(instruction))")
      // Another property is nothing to it.
      var other = Maker()
      other.changeAll(of: "open", "x")
      #expect(try Self.unread().take(from: &other.changeset, base: 0).refused.isEmpty)
    }
  }

  /// Values of new objects replace nothing: they are left out where the object is made.
  @Test func initialValuesOfNewObjectsAreLeftOut() throws {
    var empty = Changeset()
    let initial: [Payload] = [
      .null, .int(0), .bool(false), .float(0), .double(0), .timestamp(seconds: 0, nanoseconds: 0),
      .objectID(ObjectIDBits(high: 0, low: 0)), .uuid(UUIDBits(high: 0, low: 0)), .list,
      .dictionary, .set, .string(empty.addBytes("")),
    ]
    for value in initial {
      for isMade in [true, false] {
        var maker = Maker()
        if isMade { maker.create() }
        maker.update("secret", value)
        maker.update("open", .int(1))
        let taken = try Self.unread().take(from: &maker.changeset, base: 0)
        expectEqual(taken.refused.isEmpty, isMade, "\(value)")
        expectEqual(taken.isChanged, isMade, "\(value)")
        // The author does not see it now either.
        expectTrue(taken.reduced.isEmpty)
        if isMade { expectEqual(maker.changeset.instructions.count, 2) }
      }
    }
    for value in [Payload.int(1), .bool(true), .objectValue, .double(0.5)] {
      var maker = Maker()
      maker.create()
      maker.update("secret", value)
      try expectEqual(Self.unread().take(from: &maker.changeset, base: 0).refused.count, 1)
    }
    // It is another object that was made.
    var maker = Maker()
    maker.create("other")
    maker.update("secret", .int(0))
    try expectEqual(Self.unread().take(from: &maker.changeset, base: 0).refused.count, 1)
  }

  /// What was hidden at the base of the upload counts, and what is hidden now.
  @Test func theBaseOfAnUploadCounts() throws {
    var filters = try #require(ViewFilters(""))
    filters.set(Self.fields, from: 4, base: 0)
    filters.set(nil, from: 9, base: 0)
    let unread = try #require(UnreadFields(nil, filters))
    for (base, isRefused) in [(3, false), (4, true), (8, true), (9, false)] {
      var maker = Maker()
      maker.update("secret", .int(1))
      let refused = unread.take(from: &maker.changeset, base: UInt64(base)).refused
      expectTrue(refused.isEmpty != isRefused, "\(base)")
    }
    let none = try #require(ViewFilters(""))
    expectTrue(UnreadFields(nil, none) == nil)
    expectTrue(UnreadFields(ReadFilters(fallback: .constant(true)), none) == nil)
  }

  // MARK: What is left of a changeset

  /// The rest is what it was, and no byte has a string of what was taken out.
  @Test func theRestKeepsItsMeaningAndNoOtherString() throws {
    var maker = Maker()
    let table = maker.changeset.intern("Doc")
    let id = maker.changeset.intern("_id")
    maker.changeset.append(
      .addTable(
        .init(
          table: table, kind: .topLevel, key: .init(field: id, type: .string, isNullable: false))))
    let target = maker.changeset.intern("Target")
    let field = maker.changeset.intern("link")
    maker.changeset.append(
      .addColumn(
        .init(
          table: table, field: field, type: .link, isNullable: true, collection: .single,
          linkTarget: target)))
    maker.changeAll(of: "secret", "hidden")
    maker.create("seen")
    maker.changeAll(of: "open", "shown")
    maker.changeAll(of: "secret", "hidden-2")
    let all = maker.changeset
    let kept = all.instructions.filter { instruction in
      instruction.path.map { all.text(of: $0.field) != "secret" } ?? true
    }
    var rest = all
    rest.keep(kept)
    expectEqual(Self.lines(rest), kept.map { all.line($0) })
    let bytes = ChangesetEncoder.encode(rest)
    expectEqual(Self.lines(try ChangesetParser.parse(bytes)), Self.lines(rest))
    let text = String(decoding: bytes, as: UTF8.self)
    expectTrue(text.contains("shown-key"))
    expectTrue(text.contains("shown-entry"))
    expectFalse(text.contains("hidden"))
    expectFalse(text.contains("secret"))
    // Without that, the strings would be there.
    var naive = all
    naive.instructions = kept
    #expect(
      String(decoding: ChangesetEncoder.encode(naive), as: UTF8.self).contains("hidden-key"))
  }
}
