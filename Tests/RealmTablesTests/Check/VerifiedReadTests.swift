// SPDX-License-Identifier: Apache-2.0

// Reads that compare checksums: a flipped bit is an error where it is read, and not another value.

import Dispatch
import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

struct VerifiedReadTests {
  private let contents: [UInt8]
  private let age: Int

  init() throws {
    let system = try SimulatedFileSystem()
    let file = try system.openDatabase()
    let group = try WriteGroup(file.beginWrite())
    let dogs = try group.createTable(named: "class_Dog")
    let age = try dogs.addColumn(named: "age", type: .int)
    let name = try dogs.addColumn(named: "name", type: .string, isIndexed: true)
    let friend = try dogs.addColumn(named: "friend", type: .link, target: dogs.key)
    let tags = try dogs.addColumn(named: "tags", type: .double, collection: .list)
    var last: ObjectKey?
    for number in 0..<12 as Range<Int64> {
      let dog = try dogs.createObject().key
      try dogs.set(.int(number * 1000), age, dog)
      try dogs.set(.string("a dog of number \(number)"), name, dog)
      if let last { try dogs.set(.link(last), friend, dog) }
      try dogs.set(.list([.double(Double(number) / 7)]), tags, dog)
      last = dog
    }
    _ = try group.commit()
    contents = try system.file.contents()
    let table = try #require(try TableGroup(file.snapshot()).table(named: "class_Dog"))
    var cursor = table.clusterCursor()
    self.age = try #require(try cursor.next()).leafRef(age.leafIndex).offset
  }

  /// All that the tables of a file hold.
  private func dump(_ contents: [UInt8], verifying: Bool) throws -> String {
    let file = try SimulatedFileSystem(contents: contents).openDatabase()
    if verifying { file.verifyChecksums() }
    let group = try TableGroup(file.snapshot())
    return try withExtendedLifetime(group) { "\(try ContentDump(group).json())" }
  }

  @Test(.heavy) func aFlippedBitIsAnErrorOrNotRead() throws {
    let whole = try dump(contents, verifying: true)
    var random = SeededGenerator(seed: 51)
    let count = 125 * DamagedFileTests.rounds
    var missed: [Int] = []
    var (thrown, wrongWithout) = (0, 0)
    for round in 0..<count {
      let byte = Int.random(in: 24..<contents.count, using: &random)
      var damaged = contents
      damaged[byte] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      do {
        if try dump(damaged, verifying: true) != whole { missed.append(byte) }
      } catch { thrown += 1 }
      guard round % 8 == 0 else { continue }
      if let other = try? dump(damaged, verifying: false), other != whole { wrongWithout += 8 }
    }
    expectTrue(missed.count * 1000 <= count, "missed \(missed)")
    expectTrue(thrown * 4 > count, "\(thrown) of \(count)")
    RandomRuns.report(count, "flipped bits, \(missed.count) missed")
    // The same flips give other values where nothing is compared.
    expectTrue(wrongWithout * 20 > count, "\(wrongWithout) of \(count)")
  }

  /// `NodeVerifier` 1.
  @Test func aNodeIsComparedOnce() throws {
    let system = try SimulatedFileSystem(contents: contents)
    let file = try system.openDatabase()
    file.verifyChecksums()
    let snapshot = try file.snapshot()
    let ref = Ref(age)
    let whole = try snapshot.space.node(at: ref).integer(at: 3)
    try system.file.write(UInt64.max, at: age + NodeHeader.byteCount)
    let matching = Locked(0)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      if (try? snapshot.space.node(at: ref)) != nil { matching.withLock { $0 += 1 } }
    }
    expectEqual(matching.withLock { $0 }, 8)
    // Another version has not compared it yet: no thread lets it pass.
    let next = try file.snapshot()
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      if (try? next.space.node(at: ref)) == nil { matching.withLock { $0 -= 1 } }
    }
    expectEqual(matching.withLock { $0 }, 0)
    withExtendedLifetime((snapshot, next)) {}
    expectEqual(whole, 3000)
  }

  /// `NodeSpace` 3.
  @Test func aNodeIsComparedWhenItIsReached() throws {
    var damaged = contents
    damaged[age + NodeHeader.byteCount] ^= 1
    let file = try SimulatedFileSystem(contents: damaged).openDatabase()
    let plain = try file.snapshot()
    file.verifyChecksums()
    let snapshot = try file.snapshot()
    expectEqual(snapshot.space.fileEnd, plain.space.fileEnd)
    expectEqual(snapshot.space.slabEnd, 0)
    for (version, isVerified) in [(plain, false), (snapshot, true)] {
      let group = try TableGroup(version)
      defer { withExtendedLifetime(group) {} }
      let table = try #require(try group.table(named: "class_Dog"))
      let column = try #require(table.schema.column(named: "age"))
      let name = try #require(table.schema.column(named: "name"))
      var cursor = table.clusterCursor()
      let row = try #require(try cursor.next()).row(at: 3)
      for _ in 0..<2 {
        let text = try row.value(of: name)
        expectEqual(text, .string("a dog of number 3"))
        guard isVerified else {
          _ = try row.value(of: column)
          continue
        }
        let error = #expect(throws: StorageError.self) { try row.value(of: column) }
        expectEqual(error.map { "\($0)".contains("checksum") }, true)
      }
    }
    // A check compares by itself, and reads on.
    expectEqual(try DatabaseCheck.run(snapshot).map(\.check), [38])
    // A ref that leads nowhere stays one.
    withExtendedLifetime(snapshot) {
      for ref in [Ref(snapshot.space.fileEnd + 8), .null, Ref(27), Ref(-8)] {
        #expect(throws: StorageError.self) { try snapshot.space.node(at: ref) }
      }
    }
  }
}
