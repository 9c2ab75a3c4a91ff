// SPDX-License-Identifier: Apache-2.0

// The rules of P5 6 for lists: the replay knows the elements that it inserted itself, and copies
// the list where others were changed.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmTables
import TestExtensions
import Testing

@Suite("Replayed lists")
struct ListReplayTests {
  private static let common: ReplayBench.Change = { $0.appendNumbers($1, [1, 2, 3]) }

  /// The copy has [1, 2, 3, 8, 9], and the file [1, 2, 3].
  private func longer() throws -> ReplayBench {
    try ReplayBench(Self.common, server: { $0.appendNumbers($1, [8, 9], from: 3) })
  }

  @Test func insertionsKeepTheirIndexUpToTheSize() throws {
    var bench = try longer()
    let lines = try bench.replay { changeset, item in
      changeset.insert(item, "a", "numbers", [.at(0)], .int(10), priorSize: 3)
      changeset.insert(item, "a", "numbers", [.at(4)], .int(11), priorSize: 4)
    }
    try expectEqual(bench.numbers(), [10, 1, 2, 3, 11, 8, 9])
    expectEqual(lines[0].last, "ArrayInsert [\"a\"].\"numbers\"[4] = int(11) prior 6")

    // The copy has a single element.
    var shorter = try ReplayBench(
      Self.common,
      server: { changeset, item in
        changeset.erase(item, "a", "numbers", at: 2, priorSize: 3)
        changeset.erase(item, "a", "numbers", at: 1, priorSize: 2)
      })
    _ = try shorter.replay { changeset, item in
      changeset.appendNumbers(item, [10, 11], from: 3)
      changeset.update(item, "a", "numbers", [.at(4)], to: .int(12), priorSize: 5)
    }
    try expectEqual(shorter.numbers(), [1, 10, 12])
  }

  @Test func elementsOfTheReplayAreFoundAgain() throws {
    var bench = try longer()
    let lines = try bench.replay(
      { changeset, item in
        changeset.appendNumbers(item, [10, 11], from: 3)
        changeset.insert(item, "a", "numbers", [.at(0)], .int(12), priorSize: 5)
      },
      { changeset, item in
        // In the file: 12, 1, 2, 3, 10, 11.
        changeset.update(item, "a", "numbers", [.at(4)], to: .int(20), priorSize: 6)
        changeset.erase(item, "a", "numbers", at: 0, priorSize: 6)
        changeset.update(item, "a", "numbers", [.at(4)], to: .int(21), priorSize: 5)
        changeset.erase(item, "a", "numbers", at: 3, priorSize: 5)
        changeset.update(item, "a", "numbers", [.at(3)], to: .int(22), priorSize: 4)
      })
    try expectEqual(bench.numbers(), [1, 2, 3, 22, 8, 9])
    expectEqual(lines[1].count, 5)
    expectTrue(bench.droppedLists.isEmpty)
  }

  @Test(
    arguments: [
      (3, 5, [1, 2, 3, 11, 12, 10, 8, 9]), (5, 3, [1, 2, 3, 12, 10, 11, 8, 9]),
      (4, 4, [1, 2, 3, 10, 11, 12, 8, 9]),
    ] as [(UInt32, UInt32, [Int64])])
  func elementsOfTheReplayAreMoved(
    _ source: UInt32, _ target: UInt32, _ expected: [Int64]
  ) throws {
    var bench = try longer()
    _ = try bench.replay { changeset, item in
      changeset.appendNumbers(item, [10, 11, 12], from: 3)
      changeset.move(item, "a", "numbers", from: source, to: target, priorSize: 6)
    }
    try expectEqual(bench.numbers(), expected)
    // The places after the move are known, too.
    let local = try bench.local.value("numbers")
    guard case .list(let values) = local else { return }
    for index in 3..<6 as Range<UInt32> {
      guard case .int(let number) = values[Int(index)] else { continue }
      let place = try #require(try bench.numbers().firstIndex(of: number))
      expectEqual(place, Int(index))
    }
  }

  @Test func aMoveAmongOtherElementsCopiesTheList() throws {
    for (source, target) in [(0, 3), (3, 0), (0, 1)] as [(UInt32, UInt32)] {
      var bench = try longer()
      _ = try bench.replay { changeset, item in
        changeset.appendNumbers(item, [10], from: 3)
        changeset.move(item, "a", "numbers", from: source, to: target, priorSize: 4)
      }
      guard case .list(let values) = try bench.local.value("numbers") else { return }
      try expectEqual(bench.numbers().map { TableValue.int($0) }, values)
    }
  }

  /// `ListPlaces` 1.
  @Test func changesOfOtherElementsCopyTheListAsItIsAtTheEnd() throws {
    let changes: [(change: ReplayBench.Change, size: UInt32)] = [
      ({ $0.update($1, "a", "numbers", [.at(1)], to: .int(20), priorSize: 3) }, 3),
      ({ $0.erase($1, "a", "numbers", at: 1, priorSize: 3) }, 2),
    ]
    for (change, size) in changes {
      var bench = try longer()
      let lines = try bench.replay(
        { changeset, item in
          change(&changeset, item)
          changeset.update(item, "a", "count", to: .int(5))
        },
        { changeset, item in
          changeset.insert(item, "a", "numbers", [.at(0)], .int(30), priorSize: size)
        },
        { changeset, item in changeset.update(item, "a", "count", to: .int(6)) })
      guard case .list(let values) = try bench.local.value("numbers") else { continue }
      try expectEqual(bench.numbers().map { TableValue.int($0) }, values)
      try expectEqual(bench.numbers().first, 30)
      // After the changeset, and once.
      expectEqual(lines[0].first, "Update [\"a\"].\"count\" = int(5) prior 0")
      expectTrue(lines[0].contains("Clear [\"a\"].\"numbers\" list"))
      expectTrue(lines[1].isEmpty)
      expectEqual(lines[2].count, 1)
    }
  }

  @Test func aClearedListIsTheReplaysOwn() throws {
    var bench = try longer()
    let lines = try bench.replay(
      { $0.update($1, "a", "numbers", [.at(1)], to: .int(20), priorSize: 3) },
      { changeset, item in
        changeset.clear(item, "a", "numbers", [], .list)
        changeset.appendNumbers(item, [5, 6])
        changeset.update(item, "a", "numbers", [.at(1)], to: .int(7), priorSize: 2)
      })
    try expectEqual(bench.numbers(), [5, 7])
    expectEqual(lines[1].count, 4)
  }

  @Test func anObjectThatIsMadeAgainHasNewLists() throws {
    var bench = try longer()
    _ = try bench.replay(
      { $0.update($1, "a", "numbers", [.at(1)], to: .int(20), priorSize: 3) },
      { changeset, item in
        changeset.erase(item, "a")
        changeset.create(item, "a")
        changeset.appendNumbers(item, [4])
      })
    try expectEqual(bench.numbers(), [4])
  }

  @Test func aListWhoseObjectIsGoneIsNotCopied() throws {
    var bench = try longer()
    _ = try bench.replay(
      { $0.update($1, "a", "numbers", [.at(1)], to: .int(20), priorSize: 3) },
      { changeset, item in changeset.erase(item, "a") })
    expectEqual(bench.droppedLists.count, 1)
    expectEqual(bench.droppedLists.first?.contains("numbers"), true)
    #expect(try !bench.copy.exists("a"))
  }

  // MARK: Links

  @Test func aListIsCopiedAgainWhenItsObjectsAreThere() throws {
    var bench = try ReplayBench({ changeset, item in
      changeset.create(item, "b")
      changeset.insertLink(item, "a", "links", "a", at: 0)
      changeset.insertLink(item, "a", "links", "b", at: 1)
    })
    _ = try bench.replay(
      { changeset, item in
        changeset.update(
          item, "a", "links", [.at(0)], to: changeset.link(item, "b"), priorSize: 2)
      },
      { changeset, item in
        changeset.create(item, "later")
        changeset.insertLink(item, "a", "links", "later", at: 2)
      })
    try expectEqual(bench.copy.links("links"), ["b", "b", "later"])
  }

  /// A link that only the copy has leaves the list with its object; the places of the replay's own
  /// elements move.
  @Test func placesMoveWhenLinksLeaveTheList() throws {
    var bench = try ReplayBench(
      { changeset, item in
        for key in ["b", "c", "d"] { changeset.create(item, key) }
        changeset.insertLink(item, "a", "links", "a", at: 0)
      },
      server: { changeset, item in
        let link = changeset.link(item, "b")
        changeset.insert(item, "a", "links", [.at(0)], link, priorSize: 1)
      })
    _ = try bench.replay(
      { changeset, item in changeset.insertLink(item, "a", "links", "c", at: 1) },
      { changeset, item in
        changeset.erase(item, "b")
        changeset.update(
          item, "a", "links", [.at(1)], to: changeset.link(item, "d"), priorSize: 2)
      })
    try expectEqual(bench.copy.links("links"), ["d", "a"])
  }

  // MARK: Embedded objects

  @Test func pathsLeadThroughElementsOfTheReplay() throws {
    var bench = try ReplayBench(server: { changeset, item in
      for index in 0..<2 as Range<UInt32> {
        changeset.insert(item, "a", "parts", [.at(index)], .objectValue, priorSize: index)
      }
    })
    let lines = try bench.replay { changeset, item in
      changeset.insert(item, "a", "parts", [.at(0)], .objectValue, priorSize: 0)
      changeset.insert(item, "a", "parts", [.at(1)], .objectValue, priorSize: 1)
      changeset.update(item, "a", "parts", [.at(1), .key("x")], to: .int(5))
      changeset.update(item, "a", "parts", [.at(1), .key("part")], to: .objectValue)
    }
    expectEqual(lines[0].count, 4)
    expectTrue(lines[0][2].contains("[1].\"x\" = int(5)"))
    guard case .list(let parts) = try bench.copy.value("parts") else { return }
    expectEqual(parts.count, 4)
  }

  @Test func anEmbeddedObjectOfTheCopyCopiesTheList() throws {
    var bench = try ReplayBench(
      { changeset, item in
        changeset.insert(item, "a", "parts", [.at(0)], .objectValue, priorSize: 0)
        changeset.update(item, "a", "parts", [.at(0), .key("x")], to: .int(1))
      },
      server: { changeset, item in
        changeset.insert(item, "a", "parts", [.at(0)], .objectValue, priorSize: 1)
      })
    let lines = try bench.replay { changeset, item in
      changeset.update(item, "a", "parts", [.at(0), .key("x")], to: .int(9))
    }
    expectEqual(lines[0].first, "Clear [\"a\"].\"parts\" list")
    try expectEqual(bench.copy.file.digest(), bench.local.file.digest())
  }

  @Test func listsUnderKeysHaveTheirOwnPlaces() throws {
    let common: ReplayBench.Change = { changeset, item in
      for key in ["k", "l"] {
        changeset.update(item, "a", "anyMap", [.key(key)], to: .list)
        changeset.insert(item, "a", "anyMap", [.key(key), .at(0)], .int(1), priorSize: 0)
      }
    }
    var bench = try ReplayBench(
      common,
      server: { changeset, item in
        changeset.insert(item, "a", "anyMap", [.key("l"), .at(1)], .int(8), priorSize: 1)
      })
    _ = try bench.replay { changeset, item in
      changeset.insert(item, "a", "anyMap", [.key("l"), .at(1)], .int(2), priorSize: 1)
      changeset.update(item, "a", "anyMap", [.key("k"), .at(0)], to: .int(3), priorSize: 1)
      changeset.update(item, "a", "anyMap", [.key("l"), .at(1)], to: .int(4), priorSize: 2)
    }
    let map = TableDictionary([
      .init(key: "k", value: .list([.int(3)])),
      .init(key: "l", value: .list([.int(1), .int(4), .int(8)])),
    ])
    try expectEqual(bench.copy.value("anyMap"), .dictionary(map))
    // A value in place of the list ends it.
    _ = try bench.replay { changeset, item in
      changeset.update(item, "a", "anyMap", [.key("k"), .at(0)], to: .int(5), priorSize: 1)
      changeset.update(item, "a", "anyMap", [.key("k")], to: .int(6))
      changeset.update(item, "a", "anyMap", [.key("k")], to: .list)
      changeset.insert(item, "a", "anyMap", [.key("k"), .at(0)], .int(7), priorSize: 0)
    }
    guard case .dictionary(let found) = try bench.copy.value("anyMap") else { return }
    expectEqual(found.entries.first { $0.key == "k" }?.value, .list([.int(7)]))
  }
}
