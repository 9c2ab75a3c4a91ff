// SPDX-License-Identifier: Apache-2.0

// Changes by the server for one client: erasures and states of objects (P4 B.6).

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
  ///
  /// - Parameter fields: The properties in the states, by classes; all of a class without an entry.
  static func parts(
    erasing erased: [ObjectIdentity], making made: [ObjectIdentity],
    from source: TableGroup, fields: [String: FieldSelection] = [:],
    byteCountMax: Int = byteCountMax
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
      if let key = try table.key(of: object.key) {
        try writer.append(key, in: table.key, fields: fields[object.className])
      }
      objects.append(object)
      end(at: byteCountMax)
    }
    end(at: 1)
    return parts
  }
}

extension PrivatePart {
  /// The erasures of some objects.
  init(erasing objects: [ObjectIdentity]) {
    var changeset = Changeset()
    for object in objects { changeset.append(.eraseObject(changeset.reference(to: object))) }
    self.init(changeset: ChangesetEncoder.encode(changeset), objects: objects)
  }

  /// Erasures alone; no part for none.
  static func parts(
    erasing objects: [ObjectIdentity], byteCountMax: Int = byteCountMax
  ) -> [PrivatePart] {
    var parts: [PrivatePart] = []
    var (start, byteCount) = (0, 0)
    for (position, object) in objects.enumerated() {
      byteCount += object.approximateByteCount
      guard byteCount >= byteCountMax || position == objects.count - 1 else { continue }
      parts.append(PrivatePart(erasing: Array(objects[start...position])))
      (start, byteCount) = (position + 1, 0)
    }
    return parts
  }
}

extension ObjectIdentity {
  /// At least the bytes of an erasure, whatever the class.
  var approximateByteCount: Int {
    guard case .value(.string(let text)) = key else { return 48 }
    return 48 + text.utf8.count
  }
}

/// The private changes of a round and the bootstrap after it.
struct PrivateChanges {
  let file: FileIdentifier
  private let timestamp: OriginTimestamp
  private(set) var changes: [PrivateChange] = []

  init(_ timestamp: OriginTimestamp, for file: FileIdentifier) {
    self.file = file
    self.timestamp = timestamp
  }

  /// - Parameter version: The version of the last part; the others have those before it.
  mutating func append(_ parts: [PrivatePart], through version: UInt64) {
    var version = version - UInt64(parts.count)
    for part in parts {
      version += 1
      changes.append(
        PrivateChange(
          file: file, version: version, timestamp: timestamp, objects: part.objects,
          changeset: part.changeset))
    }
  }

  /// Replaces changes possibly lost on their way: their objects are erased here, with a newer
  /// version. Stored ones are left out. What they refuse stays to be reported.
  mutating func replace(_ known: [PrivateChange]) {
    for change in known {
      if let place = changes.firstIndex(where: { $0.version == change.version }) {
        if changes[place] == change { changes.remove(at: place) }
      } else if !change.isEmpty {
        changes.append(
          PrivateChange(
            file: file, version: change.version, timestamp: change.timestamp, changeset: [],
            refusal: change.refusal))
      }
    }
  }
}
