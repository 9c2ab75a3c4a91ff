// SPDX-License-Identifier: Apache-2.0

// What the check says about damaged nodes: whose data they hold, and who waits for it.

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

struct DamageLocatorTests {
  private let system: SimulatedFileSystem
  private let contents: [UInt8]

  init() throws {
    system = try SimulatedFileSystem()
    let file = try system.openDatabase()
    let group = try WriteGroup(file.beginWrite())
    let dogs = try group.createTable(named: "class_Dog")
    let age = try dogs.addColumn(named: "age", type: .int)
    let tags = try dogs.addColumn(named: "tags", type: .int, collection: .list)
    for number in 0..<700 as Range<Int64> {
      let dog = try dogs.createObject().key
      try dogs.set(.int(number), age, dog)
      if number % 100 == 7 { try dogs.set(.list([.int(number), .int(5)]), tags, dog) }
    }
    _ = try group.commit()
    contents = try system.file.contents()
  }

  /// The findings with the number of checksums after a bit of the node at `ref` flipped.
  private func findings(flipping ref: Ref) throws -> [CheckFinding] {
    var damaged = contents
    damaged[ref.offset + NodeHeader.byteCount] ^= 2
    let file = try SimulatedFileSystem(contents: damaged).openDatabase()
    return try DatabaseCheck.run(file.snapshot()).filter { $0.check == 38 }
  }

  @Test func damageNamesClassPropertyObjectAndByte() throws {
    let snapshot = try system.openDatabase().snapshot()
    let table = try #require(try TableGroup(snapshot).table(named: "class_Dog"))
    let age = try #require(table.schema.column(named: "age"))
    let tags = try #require(table.schema.column(named: "tags"))
    var cursor = table.clusterCursor()
    _ = try cursor.next()
    let cluster = try #require(try cursor.next())
    let (first, last) = (cluster.key(at: 0).rawValue, cluster.key(at: cluster.count - 1).rawValue)

    let leaf = try cluster.leafRef(age.leafIndex)
    let one = try findings(flipping: leaf)
    expectEqual(one.map(\.objectType), ["class_Dog"])
    expectEqual(one.map(\.property), ["age"])
    expectEqual(one.map(\.byteOffset), [leaf.offset])
    expectEqual(one.map(\.objectKey), [nil])
    expectEqual(one.first?.message.contains("objects \(first) to \(last)"), true, "\(one)")

    // The list of one object.
    let lists = try cluster.leaf(tags.leafIndex)
    let index = try #require((0..<cluster.count).first { lists.uncheckedInteger(at: $0) != 0 })
    let list = try lists.ref(at: index)
    let two = try findings(flipping: list)
    expectEqual(two.map(\.property), ["tags"])
    expectEqual(two.map(\.objectKey), [cluster.key(at: index).rawValue])
    expectEqual(two.map(\.byteOffset), [list.offset])
  }

  @Test func aCheckSaysHowFarItIsAndEndsWhenItIsNotWanted() throws {
    let snapshot = try system.openDatabase().snapshot()
    var parts: [Double] = []
    let (findings, checksums) = try DatabaseCheck.report(
      snapshot, WorkWatch(progress: { parts.append($0) }))
    expectEqual(findings, [])
    expectTrue(checksums.verified > 10)
    expectEqual(parts, parts.sorted())
    expectEqual(parts.last, 1)
    expectTrue(parts.contains { $0 >= 0.5 && $0 < 1 }, "\(parts)")
    var calls = 0
    let cancelled = try DatabaseCheck.report(
      snapshot,
      WorkWatch(
        progress: { _ in calls += 1 },
        isCancelled: { true }))
    expectEqual(cancelled.findings, [])
    expectEqual(cancelled.checksums.verified, 0)
    expectTrue(calls < parts.count, "\(calls)")
  }
}
