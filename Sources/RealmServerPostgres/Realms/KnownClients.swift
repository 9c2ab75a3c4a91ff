// SPDX-License-Identifier: Apache-2.0

// What the owner of a realm knows of its clients without asking the database.
//
// Invariants:
// 1. What is known is what the database has, as long as the epoch of the realm is the one here: the
//    rows of clients are changed by appends alone, which the owner makes and notes. An append with
//    an open outcome forgets all.
// 2. An answer is noted only if nothing was appended and no epoch began while it was read, and if
//    no outcome was open.

#if Postgres
import RealmServerEngine
import RealmSyncProtocol

/// The files of clients, and which of them have no reciprocals and no private changes.
struct KnownClients {
  /// What is known of a client.
  struct Client {
    var file: ClientFile?
    /// There is no reciprocal of a later version; nil if it is not known.
    var noReciprocalsAfter: UInt64?
    /// There is no private change of a later version; nil if it is not known.
    var noPrivatesAfter: UInt64?
  }

  /// Some megabytes for one realm.
  private static let countMax = 16_384

  /// The owner's.
  private(set) var epoch: UInt64
  /// The appends and the epochs that were noted.
  private(set) var appendCount = 0
  private var clients: [FileIdentifier: Client] = [:]

  init(epoch: UInt64) { self.epoch = epoch }

  /// Forgets all, as this node has become the owner with another epoch.
  mutating func begin(epoch: UInt64) {
    forget()
    self.epoch = epoch
  }

  subscript(ident: FileIdentifier) -> Client { clients[ident] ?? Client() }

  /// Notes an answer of the database that was asked for after so many appends.
  mutating func note(
    _ ident: FileIdentifier, after count: Int, _ change: (inout Client) -> Void
  ) {
    guard count == appendCount else { return }
    if clients.count >= Self.countMax, clients[ident] == nil { clients = [:] }
    change(&clients[ident, default: Client()])
  }

  /// Notes an append that is durable.
  mutating func note(_ batch: Batch) {
    appendCount += 1
    for file in batch.files {
      if clients.count >= Self.countMax, clients[file.ident] == nil { clients = [:] }
      clients[file.ident, default: Client()].file = file
    }
    for ident in batch.forgotten { clients[ident] = nil }
    for change in batch.reciprocals { clients[change.file]?.noReciprocalsAfter = nil }
    for change in batch.privates where !change.isRemoval {
      clients[change.file]?.noPrivatesAfter = nil
    }
  }

  /// Forgets all, as the outcome of an append may be open.
  mutating func forget() {
    appendCount += 1
    clients = [:]
  }
}
#endif
