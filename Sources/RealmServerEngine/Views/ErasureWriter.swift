// SPDX-License-Identifier: Apache-2.0

// Changesets of erasures.

import RealmSyncProtocol
import RealmTables

/// Writes erasures.
enum ErasureWriter {
  /// A changeset ends with the object at which its keys are this large.
  static let byteCountMax = PrivatePart.byteCountMax

  /// The instructions for erasing some objects; no bytes for none.
  static func bytes(_ objects: [ObjectIdentity]) -> [UInt8] {
    var changeset = Changeset()
    for object in objects { changeset.append(.eraseObject(changeset.reference(to: object))) }
    return ChangesetEncoder.encode(changeset)
  }

  /// Objects in parts whose changesets can each be stored as one blob; no part for none.
  static func parts(
    _ objects: [ObjectIdentity], byteCountMax: Int = byteCountMax
  ) -> [[ObjectIdentity]] {
    var parts: [[ObjectIdentity]] = []
    var (start, bytes) = (0, 0)
    for (position, object) in objects.enumerated() {
      bytes += object.approximateByteCount
      guard bytes >= byteCountMax || position == objects.count - 1 else { continue }
      parts.append(Array(objects[start...position]))
      (start, bytes) = (position + 1, 0)
    }
    return parts
  }
}

extension PrivatePart {
  /// Erasures alone; no part for none.
  static func parts(erasing objects: [ObjectIdentity]) -> [PrivatePart] {
    ErasureWriter.parts(objects).map { part in
      PrivatePart(changeset: ErasureWriter.bytes(part), objects: part)
    }
  }
}

extension ObjectIdentity {
  /// At least the bytes of an erasure, whatever the class.
  var approximateByteCount: Int {
    guard case .value(.string(let text)) = key else { return 48 }
    return 48 + text.utf8.count
  }
}
