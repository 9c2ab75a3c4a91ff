// SPDX-License-Identifier: Apache-2.0

// The uploads of users without the right to write.

import RealmSyncProtocol

extension Changeset {
  /// Removes the declarations of classes and properties, which each client uploads when it opens
  /// a realm. Anything else is refused with the code 230.
  mutating func removeDeclarations() throws(SessionRefusal) {
    for instruction in instructions {
      switch instruction {
      case .addTable, .addColumn: continue
      default:
        // A client that recovered these changes would only be refused again.
        throw SessionRefusal(
          .writeNotAllowed, "Write not allowed: the user may read the partition and not change it",
          action: .clientResetNoRecovery)
      }
    }
    self = Changeset(origin: origin)
  }
}
