// SPDX-License-Identifier: Apache-2.0

// The whole content of a realm file, for a store of another kind.

package import RealmStorage
package import RealmSyncProtocol
package import RealmTables

/// Reads a realm file that no server has open, to move the realm to another store.
package struct RealmExport {
  private let realm: EmbeddedRealm

  /// Opens the file of a realm.
  package init(_ id: RealmID, in files: any RealmFiles) throws(StoreError) {
    realm = try StoreError.storing(EmbeddedRealm(id, in: files))
    guard realm.name.fileID == id else { throw .ambiguousName(realm.name) }
  }

  /// The name of the realm.
  package var name: RealmName { realm.name }

  /// The newest version.
  package func head() throws(StoreError) -> RealmHead {
    try StoreError.storing(realm.snapshot()).head
  }

  /// The entries of some versions after the base.
  package func entries(in range: Range<UInt64>) throws(StoreError) -> [StoredEntry] {
    try realm.entries(in: range)
  }

  /// All client files.
  package func files() throws(StoreError) -> [ClientFile] { try realm.files() }

  /// The identifiers that were given to client files, in ranges.
  package func idents() throws(StoreError) -> [ClosedRange<UInt64>] {
    try StoreError.storing(givenIdents())
  }

  private func givenIdents() throws(StorageError) -> [ClosedRange<UInt64>] {
    let group = try realm.read()
    var ranges: [ClosedRange<UInt64>] = []
    let (first, last) = (
      FileIdentifier.server.rawValue + 1, try ServerTables.meta(in: group).bits("last_file")
    )
    if first <= last { ranges.append(first...last) }
    guard let table = try ServerTables.idents.find(in: group) else { return ranges }
    var rows = try table.records()
    while let row = try rows.next() {
      let (first, last) = (row.key.ordinal, try row.bits("last"))
      guard first <= last else {
        throw .corrupted("the identifiers from \(first) through \(last) are out of order")
      }
      ranges.append(first...last)
    }
    return ranges
  }

  /// The entries whose form for a client is another than in the history.
  package func reciprocals(
    of ident: FileIdentifier
  ) throws(StoreError) -> [ReciprocalChange] {
    try realm.reciprocals(of: ident, after: 0).sorted { $0.key < $1.key }.map {
      ReciprocalChange(file: ident, version: $0.key, changeset: $0.value)
    }
  }

  /// The private changes of a client.
  package func privates(of ident: FileIdentifier) throws(StoreError) -> [PrivateChange] {
    try realm.privates(of: ident, after: 0)
  }

  /// Writes the objects of the newest version to a new file, without what a server keeps beside
  /// them.
  ///
  /// - Parameter complete: Adds to the file.
  package func copyObjects(
    to path: String, options: OpenOptions, system: any FileSystem,
    _ complete: (WriteGroup) throws(StorageError) -> Void
  ) throws(StorageError) {
    let copy = try system.open(path: path, mode: .readWriteCreating)
    try InspectedFiles.copy(realm.file, to: copy)
    let opened = try DatabaseFile.open(path: path, options: options, system: system)
    try WriteGroup(opened.beginWrite()).commit { (group) throws(StorageError) in
      for layout in ServerTables.kept { try layout.remove(from: group) }
      try complete(group)
    }
  }
}
