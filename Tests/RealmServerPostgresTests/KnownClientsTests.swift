// SPDX-License-Identifier: Apache-2.0

// What the owner of a realm knows of its clients.

#if Postgres
import RealmServerEngine
import RealmSyncProtocol
import TestExtensions
import Testing

@testable import RealmServerPostgres

struct KnownClientsTests {
  private let ident = FileIdentifier(7)

  private func file(_ clientVersion: UInt64) -> ClientFile {
    var file = ClientFile(
      ident: ident, salt: 1, user: "ann", lastSeen: OriginTimestamp(milliseconds: 5))
    file.clientVersion = clientVersion
    return file
  }

  @Test func anAppendMovesAFile() {
    var clients = KnownClients(epoch: 1)
    clients.note(Batch(files: [file(3)]))
    expectEqual(clients[ident].file, file(3))
    clients.note(Batch(forgotten: [ident]))
    expectEqual(clients[ident].file, nil)
  }

  /// `KnownClients` 2
  @Test func anAnswerFromBeforeAnAppendIsNotNoted() {
    var clients = KnownClients(epoch: 1)
    let count = clients.appendCount
    clients.note(Batch(files: [file(4)]))
    clients.note(ident, after: count) { $0.file = file(3) }
    expectEqual(clients[ident].file, file(4))
    clients.note(ident, after: clients.appendCount) { $0.noPrivatesAfter = 9 }
    expectEqual(clients[ident].noPrivatesAfter, 9)
  }

  /// `KnownClients` 2
  @Test func anAnswerFromBeforeAnEpochIsNotNoted() {
    var clients = KnownClients(epoch: 1)
    let count = clients.appendCount
    clients.begin(epoch: 3)
    clients.note(ident, after: count) { $0.file = file(3) }
    expectEqual(clients[ident].file, nil)
  }

  /// `KnownClients` 1
  @Test func whatIsAddedIsNotMissing() {
    var clients = KnownClients(epoch: 1)
    clients.note(ident, after: 0) { ($0.noPrivatesAfter, $0.noReciprocalsAfter) = (2, 2) }
    clients.note(
      Batch(reciprocals: [ReciprocalChange(file: ident, version: 3, changeset: [1])]))
    expectTrue(clients[ident].noReciprocalsAfter == nil)
    expectEqual(clients[ident].noPrivatesAfter, 2)
    let removal = PrivateChange(
      file: ident, version: 3, timestamp: OriginTimestamp(milliseconds: 1), changeset: [])
    clients.note(Batch(privates: [removal]))
    expectEqual(clients[ident].noPrivatesAfter, 2)
    var change = removal
    change.changeset = [1]
    clients.note(Batch(privates: [change]))
    expectEqual(clients[ident].noPrivatesAfter, nil)
  }

  /// `KnownClients` 1
  @Test func anOpenOutcomeForgetsAll() {
    var clients = KnownClients(epoch: 1)
    clients.note(Batch(files: [file(3)]))
    clients.forget()
    expectEqual(clients[ident].file, nil)
  }
}
#endif
