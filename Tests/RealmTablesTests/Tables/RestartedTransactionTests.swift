// SPDX-License-Identifier: Apache-2.0

// Transactions that start again from their version.

import RealmStorage
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

struct RestartedTransactionTests {
  @Test func aTransactionStartsAgainBeforeThoseThatWait() throws {
    let directory = try TemporaryDirectory()
    let file = try DatabaseFile.open(path: directory.file("restarted.realm"))
    let setup = try WriteGroup(try file.beginWrite())
    let table = try setup.createTable(named: "class_Dog").key
    _ = try setup.commit()
    let base = file.newestVersion

    let first = try WriteGroup(try file.beginWrite())
    let waiter = file.enqueueWriter(at: WriterPlace(identity: 1)) {}
    let key = try #require(try first.table(table)).createObject().key
    let second = try WriteGroup(try first.transaction.restarted())
    expectTrue(first.transaction.isEnded)
    expectEqual(second.transaction.base.version, base)
    let dogs = try #require(try second.table(table))
    try expectEqual(dogs.objectCount(), 0)
    try expectEqual(dogs.createObject().key, key)
    expectFalse(file.writers.isReady(waiter))
    _ = try second.commit()
    expectEqual(file.newestVersion, base + 1)
    try expectEqual(TableGroup(try file.snapshot()).table(table)?.objectCount(), 1)
    expectTrue(file.writers.isReady(waiter))
    file.writers.withdraw(waiter)
  }

  @Test func aRestartedTransactionThatIsDroppedLetsOthersWrite() throws {
    let directory = try TemporaryDirectory()
    let file = try DatabaseFile.open(path: directory.file("restarted.realm"))
    do {
      let group = try WriteGroup(try file.beginWrite())
      _ = try group.createTable(named: "class_Dog")
      try WriteGroup(try group.transaction.restarted()).rollback()
    }
    let next = try WriteGroup(try file.beginWrite())
    #expect(try next.tableKeys().isEmpty)
    next.rollback()
  }
}
