// SPDX-License-Identifier: Apache-2.0

// The classes of the app in each of its realms, before the first download of a device: a program
// without classes of its own, as Studio is one, knows the app by them.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmTables

extension ServerRealm {
  /// Gives the realm the classes and properties of the app's schema that it lacks, as a version of
  /// the server. Does nothing if it has them all.
  func declareClasses() async throws(StoreError) {
    guard let schema = settings.schema?.schema, !schema.isEmpty else { return }
    let newest = try await store.newest()
    let missing = try StoreError.storing(schema.declarations(missingIn: newest.objects))
    guard !missing.isEmpty else { return }
    _ = try await makeVersions(finding: { schema }) { schema, group, head in
      do throws(StorageError) {
        // Another device may have brought them meanwhile.
        let missing = try schema.declarations(missingIn: group)
        guard !missing.isEmpty else { return .success(nil) }
        return .success(try self.declare(missing, in: group, after: head))
      } catch {
        return .failure(error)
      }
    }
  }

  /// Carries declarations out as a version; nil if they are more than a realm may have. Devices
  /// bind all the same, and declare what they use.
  private func declare(
    _ declarations: Changeset, in group: WriteGroup, after head: RealmHead
  ) throws(StorageError) -> MadeVersions? {
    let now = clock.now()
    var changeset = declarations
    changeset.origin = ChangesetOrigin(version: head.version + 1, file: .server, timestamp: now)
    var applier = InstructionApplier(group, file: .server, limits: ApplyLimits())
    do throws(ApplyError) {
      try applier.apply(changeset)
    } catch {
      switch error {
      case .storage(let cause): throw cause
      case .badChangeset: return nil
      }
    }
    let bytes = ChangesetEncoder.encode(changeset)
    let entry = StoredEntry(
      version: changeset.origin.version, salt: salts.next(), file: .server, clientVersion: 0,
      timestamp: now, committed: now, originalByteCount: bytes.count,
      totalByteCount: head.totalByteCount + bytes.count, changeset: bytes, touches: [])
    return MadeVersions(Batch(entries: [entry]), [changeset])
  }
}
