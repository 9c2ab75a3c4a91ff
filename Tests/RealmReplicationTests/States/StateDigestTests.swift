// SPDX-License-Identifier: Apache-2.0

// Digests are equal exactly if contents are.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@Suite("State digests")
struct StateDigestTests {
  private func file(
    _ body: (inout Changeset, InternedString) -> Void = { _, _ in }
  ) throws -> ItemFile {
    let items = try ItemFile()
    try items.apply(body)
    return items
  }

  @Test func doNotDependOnTheOrderOfObjectsMembersAndEntries() throws {
    func digest(_ names: [String]) throws -> StateDigest {
      try file { changeset, item in
        for name in names { changeset.create(item, name) }
        for name in names {
          changeset.update(item, "a", "numberMap", [.key(name)], to: .int(1))
          let path = changeset.path(item, "a", "linkSet")
          changeset.append(.setInsert(.init(path: path, value: changeset.link(item, name))))
        }
      }.file.digest()
    }
    try expectEqual(digest(["x", "y", "z"]), digest(["z", "x", "y"]))
  }

  @Test func dependOnEachValue() throws {
    let changes: [(inout Changeset, InternedString) -> Void] = [
      { _, _ in },
      { $0.create($1, "b") },
      { $0.update($1, "a", "count", to: .int(1)) },
      { $0.update($1, "a", "maybe", to: .int(0)) },
      { $0.update($1, "a", "any", to: .int(0)) },
      { $0.update($1, "a", "any", to: .bool(false)) },
      { $0.update($1, "a", "any", to: .double(0)) },
      { $0.update($1, "a", "any", to: .float(0)) },
      { $0.update($1, "a", "any", to: .list) },
      { $0.update($1, "a", "any", to: .dictionary) },
      { $0.update($1, "a", "link", to: $0.link($1, "a")) },
      { $0.update($1, "a", "any", to: $0.link($1, "a")) },
      { $0.update($1, "a", "part", to: .objectValue) },
      { $0.update($1, "a", "numberMap", [.key("x")], to: .int(0)) },
      { $0.update($1, "a", "numberMap", [.key("y")], to: .int(0)) },
      {
        $0.insert($1, "a", "numbers", [.at(0)], .int(1), priorSize: 0)
        $0.insert($1, "a", "numbers", [.at(1)], .int(2), priorSize: 1)
      },
      {
        $0.insert($1, "a", "numbers", [.at(0)], .int(2), priorSize: 0)
        $0.insert($1, "a", "numbers", [.at(1)], .int(1), priorSize: 1)
      },
      { changeset, _ in changeset.addProperty("Item", "more", .int) },
      { changeset, _ in changeset.addProperty("Item", "more", .int, isNullable: true) },
      { changeset, _ in changeset.addClass("More", key: ("id", .int, false)) },
    ]
    var digests: Set<StateDigest> = []
    for change in changes { digests.insert(try file(change).file.digest()) }
    expectEqual(digests.count, changes.count)
  }

  @Test func tombstonesDoNotCount() throws {
    let waiting = try file { changeset, item in
      changeset.update(item, "a", "link", to: changeset.link(item, "none"))
      changeset.insertLink(item, "a", "links", "none", at: 0)
    }
    try expectEqual(waiting.file.digest(), file().file.digest())
  }

  @Test func ofATransactionAreThoseOfItsVersion() throws {
    let items = try file()
    let group = try WriteGroup(items.file.file.beginWrite())
    var changeset = Changeset()
    changeset.create(changeset.intern("Item"), "b")
    var applier = InstructionApplier(group)
    try applier.apply(changeset)
    let digest = try StateDigest(of: group)
    _ = try group.commit()
    try expectEqual(digest, items.file.digest())
  }

  @Test func differencesAreNamed() throws {
    let one = try file { $0.update($1, "a", "count", to: .int(1)) }
    let two = try file { $0.update($1, "a", "count", to: .int(2)) }
    try expectEqual(
      StateDifference.lines(from: one.file.read(), to: two.file.read()),
      [#"Item[string("a")].count: int(1) became int(2)"#])
    #expect(try StateDifference.lines(from: one.file.read(), to: one.file.read()).isEmpty)
  }
}
