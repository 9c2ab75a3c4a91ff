// SPDX-License-Identifier: Apache-2.0

// Declarations that a realm lacks although the schema of its app has them.
//
// A device declares its classes once. What it declared as a reader, and the schema did not have, is
// dropped; should the operator add it to the schema, and the user get the right to write, the
// device uses classes that its realm does not have.

import RealmStorage
import RealmSyncProtocol
import RealmTables

extension AppSchema {
  /// The declarations of the classes that an upload names, as far as the schema has them and the
  /// realm does not; nil if the realm lacks none of them.
  func declarations(
    for entries: some Sequence<ReceivedEntry>, missingIn objects: some TableReader
  ) throws(StorageError) -> Changeset? {
    var names: [String] = []
    for named in entries.lazy.map(\.changeset) {
      for instruction in named.instructions {
        names.append(named.text(of: instruction.table))
        if case .link(let table, _) = instruction.payload { names.append(named.text(of: table)) }
      }
    }
    let missing = try declarations(ofClasses: names, missingIn: objects)
    return missing.isEmpty ? nil : missing
  }
}
