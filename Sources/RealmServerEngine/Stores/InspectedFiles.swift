// SPDX-License-Identifier: Apache-2.0

// The files of a folder as an operator's command reads them, beside a running server or without
// one.
//
// Invariants:
// 1. Nothing is made, and no byte of a file changes.
// 2. What is read is one version: of a file without writers the reading is repeated if one came
//    meanwhile.

package import RealmStorage
import RealmTables

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The realms of a folder, for reading alone.
package struct InspectedFiles: Sendable {
  private static let attemptCountMax = 20

  private let files: DirectoryFiles
  private let directory: String

  package init(directory: String) {
    self.directory = directory
    files = DirectoryFiles(directory: directory)
  }

  /// The path of a realm's file.
  package func path(of realm: RealmID) -> String { files.path(of: realm) }

  /// The realms of an app with files, sorted.
  package func realms(ofApp app: String) throws(StoreError) -> [RealmID] {
    try StoreError.storing(files.realms(ofApp: app))
  }

  /// The realms of an app that were made, as its record has them; none if there is no record.
  package func recordedRealms(ofApp app: String) throws(StoreError) -> Set<RealmID> {
    let path = recordPath(ofApp: app)
    guard CompleteFile.exists(path) else { return [] }
    let names = try StoreError.storing(
      Self.reading(path) { (snapshot) throws(StorageError) in try RealmRecord.names(snapshot) })
    let folder = RealmID.name(ofApp: app)
    return Set(names.map { RealmID("\(folder)/\($0)") })
  }

  /// The path of the record of an app's realms.
  package func recordPath(ofApp app: String) -> String {
    "\(directory)/apps/\(RealmID.name(ofApp: app))/directory.realm"
  }

  /// What the file of a realm has.
  package func facts(of realm: RealmID) throws(StoreError) -> RealmFacts {
    try StoreError.storing(
      Self.reading(path(of: realm)) { (snapshot) throws(StorageError) in
        try RealmFacts(realm, snapshot)
      })
  }

  /// What is wrong with the file of a realm.
  package func check(_ realm: RealmID) throws(StoreError) -> [String] {
    try StoreError.storing(
      Self.reading(path(of: realm)) { (snapshot) throws(StorageError) in
        try RealmCheck(realm, snapshot).findings
      })
  }

  /// What is wrong with a file of any tables.
  package static func check(file path: String) throws(StoreError) -> [String] {
    try StoreError.storing(
      reading(path) { (snapshot) throws(StorageError) in try damage(in: snapshot) })
  }

  /// Writes the newest version of the file at a path to a new one, durable on return. The original
  /// may be written to meanwhile.
  ///
  /// - Returns: The size of the copy.
  package static func copy(_ path: String, to target: String) throws(StoreError) -> Int {
    try StoreError.storing(copied(path, target))
  }

  private static func copied(_ path: String, _ target: String) throws(StorageError) -> Int {
    // Opened as by a writer: else a server that opens a file which nobody has open would not know
    // that a version of it is being read.
    let file = try DatabaseFile.openToWatch(path: path)
    let copy = try SystemFiles(isPrivate: true).open(path: target, mode: .readWriteCreating)
    try Self.copy(file, to: copy)
    return try copy.byteCount()
  }

  /// Writes the newest version of a file to an empty one, durable on return.
  package static func copy(
    _ file: DatabaseFile, to target: any StorageFile
  ) throws(StorageError) {
    try file.snapshot().write(to: target, history: HistoryCopy.none)
  }

  /// What is wrong with the open file of a realm.
  package static func check(
    _ file: DatabaseFile, of realm: RealmID
  ) throws(StorageError) -> [String] {
    try RealmCheck(realm, file.snapshot()).findings
  }

  /// The damage of the nodes, space and tables of a version, as sentences without full stops.
  package static func damage(in snapshot: Snapshot) throws(StorageError) -> [String] {
    try DatabaseCheck.run(snapshot).filter { $0.severity == .error }.map { "\($0)" }
  }

  /// Reads the newest version of a file.
  package static func reading<R>(
    _ path: String, _ body: (Snapshot) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    for _ in 1..<attemptCountMax {
      let stamp = DatabaseFile.stamp(ofFileAt: path)
      let outcome: Result<R, StorageError>
      var isShared = false
      do throws(StorageError) {
        let opened = try DatabaseFile.openForReading(path: path)
        isShared = opened.isShared
        outcome = .success(try body(opened.file.snapshot()))
      } catch {
        outcome = .failure(error)
      }
      // What was read alone may have been changed under the reader.
      if isShared || stamp == DatabaseFile.stamp(ofFileAt: path) { return try outcome.get() }
    }
    throw .system(operation: "Reading", path: path, code: EBUSY)
  }
}
