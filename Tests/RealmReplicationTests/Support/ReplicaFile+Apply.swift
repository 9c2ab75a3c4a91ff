// SPDX-License-Identifier: Apache-2.0

// Changesets are carried out on a file.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmTables

extension ReplicaFile {
  /// Carries out a changeset, in a transaction that is rolled back if it cannot be.
  func apply(_ bytes: [UInt8], policy: ApplyPolicy = .strict) throws {
    try apply(ChangesetParser.parse(bytes), policy: policy)
  }

  func apply(_ changeset: Changeset, policy: ApplyPolicy = .strict) throws {
    let group = try WriteGroup(file.beginWrite(), schemas: schemas)
    do {
      var applier = InstructionApplier(group, policy: policy)
      try applier.apply(changeset)
      _ = try group.commit()
    } catch {
      group.rollback()
      throw error
    }
  }

  /// Carries out instructions that `body` makes.
  func apply(
    policy: ApplyPolicy = .strict, _ body: (inout Changeset) -> Void
  ) throws {
    var changeset = Changeset()
    body(&changeset)
    try apply(changeset, policy: policy)
  }
}
