// SPDX-License-Identifier: Apache-2.0

// Own changes are made again on a fresh copy by the rules of P3 D.4: objects, values, sets and
// dictionaries, classes and properties.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmTables
import TestExtensions
import Testing

@Suite("Replayed changes")
struct ChangeReplayTests {
  @Test func valuesAndObjectsAreMadeAgain() throws {
    var bench = try ReplayBench(server: { changeset, item in
      changeset.update(item, "a", "count", to: .int(3))
      changeset.create(item, "b")
      changeset.update(item, "b", "name", to: .string(changeset.addBytes("server")))
    })
    _ = try bench.replay { changeset, item in
      changeset.update(item, "a", "count", to: .int(7))
      // Both have made it.
      changeset.create(item, "b")
      changeset.create(item, "c")
      changeset.append(
        .addInteger(.init(path: changeset.path(item, "a", "count"), amount: 2)))
    }
    // The last local write wins.
    try expectEqual(bench.copy.value("count"), .int(9))
    try expectEqual(bench.copy.value("name", of: "b"), .string("server"))
    #expect(try bench.copy.exists("c"))
  }

  @Test func countersAddToTheFreshValue() throws {
    var bench = try ReplayBench(server: { changeset, item in
      changeset.update(item, "a", "count", to: .int(30))
    })
    let lines = try bench.replay { changeset, item in
      for name in ["count", "maybe"] {
        changeset.append(.addInteger(.init(path: changeset.path(item, "a", name), amount: 2)))
      }
    }
    try expectEqual(bench.copy.value("count"), .int(32))
    // Null is no number: an increment of it has no effect, and is not uploaded (P5 6).
    #expect(try bench.copy.value("maybe") == .null && lines[0].count == 1)
  }

  @Test func whatIsGoneIsDropped() throws {
    var bench = try ReplayBench(
      { changeset, item in
        changeset.create(item, "gone")
        changeset.insert(item, "gone", "numbers", [.at(0)], .int(1), priorSize: 0)
      }, server: { changeset, item in changeset.erase(item, "gone") })
    let lines = try bench.replay { changeset, item in
      changeset.update(item, "gone", "count", to: .int(1))
      changeset.insert(item, "gone", "numbers", [.at(1)], .int(2), priorSize: 1)
      changeset.clear(item, "gone", "numbers", [], .list)
      changeset.update(item, "a", "count", to: .int(4))
    }
    expectEqual(lines, [["Update [\"a\"].\"count\" = int(4) prior 0"]])
    #expect(try !bench.copy.exists("gone"))
  }

  /// Links that only the copy has are taken away, too, and this is uploaded.
  @Test func anErasureLeavesNoTombstone() throws {
    var bench = try ReplayBench(
      { changeset, item in
        changeset.create(item, "b")
        changeset.update(item, "a", "link", to: changeset.link(item, "b"))
      },
      server: { changeset, item in
        changeset.insertLink(item, "a", "links", "b", at: 0)
        changeset.insertLink(item, "a", "links", "a", at: 1)
      })
    let lines = try bench.replay { changeset, item in changeset.erase(item, "b") }
    expectEqual(
      Set(lines[0]),
      [
        "Update [\"a\"].\"link\" = null prior 0", "ArrayErase [\"a\"].\"links\"[0] prior 2",
        "EraseObject [\"b\"]",
      ])
    expectEqual(lines[0].last, "EraseObject [\"b\"]")
    #expect(try bench.copy.value("link") == .null && !bench.copy.exists("b"))
    try expectEqual(bench.copy.links("links"), ["a"])
    #expect(try bench.copy.table().tombstones == nil)
  }

  /// What is gone already is not erased again.
  @Test func anErasureOfAMissingObjectIsDropped() throws {
    var bench = try ReplayBench(
      { changeset, item in changeset.create(item, "b") },
      server: { changeset, item in changeset.erase(item, "b") })
    try expectEqual(bench.replay { changeset, item in changeset.erase(item, "b") }, [[]])
  }

  @Test func linksToMissingObjectsBecomeNullOrAreDropped() throws {
    var bench = try ReplayBench(
      { changeset, item in
        changeset.create(item, "gone")
        changeset.create(item, "here")
        changeset.update(item, "a", "link", to: changeset.link(item, "here"))
      }, server: { changeset, item in changeset.erase(item, "gone") })
    let lines = try bench.replay { changeset, item in
      changeset.update(item, "a", "link", to: changeset.link(item, "gone"))
      changeset.update(item, "a", "any", to: changeset.link(item, "gone"))
      changeset.update(item, "a", "linkMap", [.key("k")], to: changeset.link(item, "gone"))
      changeset.insertLink(item, "a", "links", "gone", at: 0)
      changeset.insertLink(item, "a", "links", "here", at: 1)
      for key in ["gone", "here"] {
        let path = changeset.path(item, "a", "linkSet")
        changeset.append(.setInsert(.init(path: path, value: changeset.link(item, key))))
      }
    }
    expectEqual(
      lines[0],
      [
        "Update [\"a\"].\"link\" = null prior 0", "Update [\"a\"].\"any\" = null prior 0",
        "Update [\"a\"].\"linkMap\".\"k\" = null prior 0",
        "ArrayInsert [\"a\"].\"links\"[0] = link [\"here\"] prior 0",
        "SetInsert [\"a\"].\"linkSet\" link [\"here\"]",
      ])
    try expectEqual(bench.copy.value("link"), .null)
  }

  @Test func setsAndDictionariesAreChangedAsTheyAre() throws {
    var bench = try ReplayBench(
      { changeset, item in
        changeset.update(item, "a", "numberMap", [.key("old")], to: .int(0))
        let path = changeset.path(item, "a", "numberSet")
        changeset.append(.setInsert(.init(path: path, value: .int(0))))
      },
      server: { changeset, item in
        changeset.update(item, "a", "numberMap", [.key("server")], to: .int(1))
        changeset.update(item, "a", "numberMap", [.key("both")], to: .int(1))
        let path = changeset.path(item, "a", "numberSet")
        changeset.append(.setInsert(.init(path: path, value: .int(1))))
      })
    _ = try bench.replay { changeset, item in
      changeset.update(item, "a", "numberMap", [.key("both")], to: .int(2))
      changeset.update(item, "a", "numberMap", [.key("old")], to: .erased)
      changeset.update(item, "a", "numberMap", [.key("none")], to: .erased)
      let paths = [
        changeset.path(item, "a", "numberSet"), changeset.path(item, "a", "numberSet"),
      ]
      changeset.append(.setInsert(.init(path: paths[0], value: .int(2))))
      changeset.append(.setErase(.init(path: paths[1], value: .int(0))))
    }
    let map = TableDictionary([
      .init(key: "both", value: .int(2)), .init(key: "server", value: .int(1)),
    ])
    try expectEqual(bench.copy.value("numberMap"), .dictionary(map))
    try expectEqual(bench.numbers("a", "numberSet").sorted(), [1, 2])
  }

  @Test func clearingUnderAMissingKeyMakesTheCollection() throws {
    var bench = try ReplayBench()
    let lines = try bench.replay { changeset, item in
      changeset.clear(item, "a", "anyMap", [.key("k")], .list)
      changeset.insert(item, "a", "anyMap", [.key("k"), .at(0)], .int(1), priorSize: 0)
    }
    expectEqual(lines[0].count, 2)
    let map = TableDictionary([.init(key: "k", value: .list([.int(1)]))])
    try expectEqual(bench.copy.value("anyMap"), .dictionary(map))
  }

  // MARK: Schemas

  @Test func classesAndPropertiesAreAddedAndStayInTheChangeset() throws {
    var bench = try ReplayBench(server: { changeset, _ in
      changeset.addClass("Both", key: ("id", .int, false))
    })
    let lines = try bench.replay { changeset, _ in
      changeset.addClass("Both", key: ("id", .int, false))
      changeset.addProperty("Both", "x", .string)
      changeset.addClass("Mine", key: ("id", .int, false))
    }
    expectEqual(lines[0].count, 3)
    #expect(try bench.copy.table("Both").schema.column(named: "x") != nil)
    #expect(try bench.copy.table("Mine").schema.primaryKey != nil)
  }

  @Test func aClassOfAnotherKeyFails() throws {
    var bench = try ReplayBench(server: { changeset, _ in
      changeset.addClass("Both", key: ("id", .string, false))
    })
    #expect(throws: ApplyError.self) {
      try bench.replay { changeset, _ in changeset.addClass("Both", key: ("id", .int, false)) }
    }
  }

  @Test func erasedClassesAndPropertiesFail() throws {
    let (local, copy) = (try ItemFile(), try ItemFile())
    for erase in [
      { (changeset: inout Changeset, item: InternedString) in
        changeset.append(.eraseTable(item))
      },
      { (changeset: inout Changeset, item: InternedString) in
        changeset.append(.eraseColumn(.init(table: item, field: changeset.intern("count"))))
      },
    ] {
      var changeset = Changeset()
      erase(&changeset, changeset.intern("Item"))
      #expect(throws: ApplyError.self) {
        try ReplayBench.replay([changeset], of: local.file, onto: copy.file)
      }
    }
  }
}
