// SPDX-License-Identifier: Apache-2.0

// Downloads whose entries a test looks at.

package import RealmServerEngine

extension Bootstrap {
  /// All entries that are left.
  package func allEntries() throws -> [Download.Entry] {
    var rest = self
    return try rest.takeEntries(byteLimit: .max)
  }
}

extension Download {
  /// The entries, and those that are to be written.
  package func allEntries() throws -> [Download.Entry] {
    try entries + (rest?.allEntries() ?? [])
  }
}
