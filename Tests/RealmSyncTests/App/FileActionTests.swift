// SPDX-License-Identifier: Apache-2.0

// Actions on files wait in the file of users until they are carried out (P3 A).

import RealmStorage
import RealmSync
import RealmTestSupport
import TestExtensions
import Testing

struct FileActionTests {
  @Test func actionsSurviveTheProcess() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("users.realm")
    let move = FileAction(movingFrom: "/a", to: "/b", partition: "\"p\"", user: "u")
    let deletion = FileAction(deleting: "/c")
    do {
      let store = try UserStore(path: path)
      #expect(try store.fileActions().isEmpty)
      try store.removeFileAction(for: "/a")
      try await expectEqual(store.store(move), move)
      try await expectEqual(store.store(deletion), deletion)
    }
    let store = try UserStore(path: path)
    try expectEqual(Set(store.fileActions()), [move, deletion])
    try store.removeFileAction(for: "/a")
    try expectEqual(store.fileActions(), [deletion])
  }

  @Test func aBackupKeepsThePlaceThatTheAppKnows() async throws {
    let directory = try TemporaryDirectory()
    let store = try UserStore(path: directory.file("users.realm"))
    let first = FileAction(movingFrom: "/a", to: "/b")
    _ = try await store.store(first)
    try await expectEqual(store.store(FileAction(movingFrom: "/a", to: "/other")), first)
    // A decision to delete the file takes the place of the backup.
    let deletion = FileAction(deleting: "/a")
    _ = try await store.store(deletion)
    try expectEqual(store.fileActions(), [deletion])
  }

  @Test func backupsHaveTheNamesOfThePage() {
    let paths = SyncPaths(base: "/base", app: "todos")
    expectEqual(
      paths.recoveredRealm(time: "20260101-120000", random: 0xab),
      "/base/mongodb-realm/todos/recovered-realms/recovered_realm-20260101-120000-000000ab")
  }
}
