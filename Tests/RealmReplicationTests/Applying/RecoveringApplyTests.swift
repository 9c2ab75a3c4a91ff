// SPDX-License-Identifier: Apache-2.0

// Own changes are made again after a reset: what does not fit is dropped (P5 6).

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmTables
import TestExtensions
import Testing

@Suite("Recovered changes")
struct RecoveringApplyTests {
  private let items: ItemFile

  init() throws { items = try ItemFile() }

  @Test func whatDoesNotFitIsDropped() throws {
    let dropped = try items.recover { changeset, item in
      changeset.update(item, "none", "count", to: .int(1))
      changeset.update(item, "a", "none", to: .int(1))
      changeset.update(item, "a", "count", to: .bool(true))
      changeset.insert(item, "a", "numbers", [.at(3)], .int(1), priorSize: 3)
      changeset.update(item, "a", "part", [.key("x")], to: .int(1))
      changeset.create(changeset.intern("None"), "a")
      changeset.update(item, "a", "count", to: .int(7))
    }
    expectEqual(dropped, 6)
    try expectEqual(items.value("count"), .int(7))
  }

  @Test func linksToMissingObjectsBecomeNullOrAreDropped() throws {
    let dropped = try items.recover { changeset, item in
      changeset.update(item, "a", "link", to: changeset.link(item, "a"))
      changeset.update(item, "a", "link", to: changeset.link(item, "none"))
      changeset.update(item, "a", "linkMap", [.key("k")], to: changeset.link(item, "none"))
      changeset.insertLink(item, "a", "links", "none", at: 0)
      let path = changeset.path(item, "a", "linkSet")
      changeset.append(.setInsert(.init(path: path, value: changeset.link(item, "none"))))
    }
    expectEqual(dropped, 2)
    try expectEqual(items.value("link"), .null)
    try expectEqual(items.links("linkMap"), ["null"])
    #expect(try items.table().tombstones == nil)
  }

  @Test func anErasureIsAnOrdinaryDeletion() throws {
    try expectEqual(
      items.recover { changeset, item in
        changeset.create(item, "b")
        changeset.update(item, "a", "link", to: changeset.link(item, "b"))
        changeset.erase(item, "b")
        changeset.create(item, "b")
      }, 0)
    try expectEqual(items.value("link"), .null)
  }

  @Test func clearingUnderAMissingKeyCreatesTheCollection() throws {
    try expectEqual(
      items.recover { changeset, item in
        let path = changeset.path(item, "a", "anyMap", [.key("k")])
        changeset.append(.clear(.init(path: path, collection: .list)))
      }, 0)
    let map = TableDictionary([.init(key: "k", value: .list([]))])
    try expectEqual(items.value("anyMap"), .dictionary(map))
  }

  @Test func classesAndPropertiesAreNotErased() throws {
    #expect(
      throws: ApplyError.badChangeset(
        .erasedSchema("Types cannot be erased during client reset recovery: 'Item'"),
        instruction: #"EraseTable "Item""#)
    ) {
      try items.apply(policy: .recovering) { changeset, item in
        changeset.append(.eraseTable(item))
      }
    }
    #expect(throws: ApplyError.self) {
      try items.apply(policy: .recovering) { changeset, item in
        changeset.append(.eraseColumn(.init(table: item, field: changeset.intern("count"))))
      }
    }
  }
}
