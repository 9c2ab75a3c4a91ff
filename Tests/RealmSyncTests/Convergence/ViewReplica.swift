// SPDX-License-Identifier: Apache-2.0

// What a new device with a query would get of a server.

import RealmReplication
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import Synchronization

/// A file in memory with the objects of a view.
struct ViewReplica {
  private static let count = Atomic(0)

  private let file: DatabaseFile
  private let ident: FileIdentifier

  init(
    _ snapshot: RealmSnapshot, _ query: EffectiveQuery, _ ident: FileIdentifier
  ) throws {
    self.ident = ident
    let number = Self.count.add(1, ordering: .relaxed).newValue
    file = try DatabaseFile.open(
      path: "/view-replica-\(number).realm", options: OpenOptions(isInMemory: true))
    let view = try View.bind(query, to: snapshot.objects).get()
    let time = OriginTimestamp(milliseconds: 0)
    let group = try WriteGroup(file.beginWrite())
    var applier = InstructionApplier(group, file: ident)
    for bootstrap in [
      try Bootstrap.schema(
        Bootstrap.Basis(snapshot, at: DownloadCursor(serverVersion: 1), timestamp: time)),
      try Bootstrap.change(
        from: nil, to: view,
        Bootstrap.Basis(
          snapshot, at: DownloadCursor(serverVersion: max(1, snapshot.head.version)),
          timestamp: time)),
    ] {
      for entry in try bootstrap.allEntries() {
        try applier.apply(ChangesetParser.parse(entry.changeset))
      }
    }
    _ = try group.commit()
  }

  func read() throws -> TableGroup { try TableGroup(file.snapshot()) }

  func digest() throws -> StateDigest { try StateDigest(of: read(), file: ident) }
}
