// SPDX-License-Identifier: Apache-2.0

// A changeset by the server for one client.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmTables

/// Erasures and states of objects for one client, in one changeset.
struct PrivatePart: Hashable, Sendable {
  /// A part ends with the object at which it is this large: each is one value of the store, and the
  /// client keeps one of a bootstrap as one value of its file.
  static let byteCountMax = 1 << 19

  let changeset: [UInt8]
  let objects: [ObjectIdentity]

  /// Erasures, then states; no part for none.
  static func parts(
    erasing erased: [ObjectIdentity], making made: [ObjectIdentity],
    from source: TableGroup, byteCountMax: Int = byteCountMax
  ) throws(StorageError) -> [PrivatePart] {
    var parts: [PrivatePart] = []
    var objects: [ObjectIdentity] = []
    var writer = ObjectStateWriter(source, file: .server)
    func end(at byteCount: Int) {
      guard writer.byteCount >= byteCount else { return }
      parts.append(PrivatePart(changeset: writer.take(), objects: objects))
      objects = []
    }
    for object in erased {
      objects.append(object)
      writer.appendErasure { encoder in encoder.reference(to: object) }
      end(at: byteCountMax)
    }
    for object in made {
      guard let table = try View.table(object.className, source) else { continue }
      if let key = try table.key(of: object.key) { try writer.append(key, in: table.key) }
      objects.append(object)
      end(at: byteCountMax)
    }
    end(at: 1)
    return parts
  }
}
