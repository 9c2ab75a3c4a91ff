// SPDX-License-Identifier: Apache-2.0

// The realm files of a server's directory.

package import RealmStorage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The files below `<directory>/apps/<app>/realms`, and `<directory>/apps/<app>/directory.realm`,
/// the record of them.
package struct DirectoryFiles: RealmFiles {
  private let directory: String
  private let system: any FileSystem
  private let records: RealmRecords

  package init(directory: String, system: any FileSystem = SystemFiles(isPrivate: true)) {
    self.directory = directory
    self.system = system
    records = RealmRecords(system)
  }

  /// A server writes many files at a time, so each reserves little of the address space for a
  /// transaction.
  private static let slabByteCount = 2 << 30

  private func place(of realm: RealmID) -> (folders: [String], file: String) {
    let names = realm.rawValue.split(separator: "/").map(String.init)
    var path = directory
    var folders = [path]
    for name in ["apps"] + names.dropLast() + ["realms"] {
      path += "/" + name
      folders.append(path)
    }
    return (folders, "\(path)/\(names.last ?? "realm").realm")
  }

  /// The record of the app whose folder has a name.
  private func record(_ app: some StringProtocol) -> RealmRecord {
    records["\(directory)/apps/\(app)/directory.realm"]
  }

  /// The name of a realm among those of its app.
  private static func name(_ realm: RealmID) -> String {
    realm.rawValue.split(separator: "/").last.map(String.init) ?? "realm"
  }

  /// The options of the files of realms.
  package static func options(mustExist: Bool) -> OpenOptions {
    var options = OpenOptions(mustExist: mustExist)
    options.slabByteCount = slabByteCount
    return options
  }

  /// The path of a realm's file.
  package func path(of realm: RealmID) -> String { place(of: realm).file }

  package func open(_ realm: RealmID) throws(StorageError) -> DatabaseFile {
    try DatabaseFile.open(
      path: path(of: realm), options: Self.options(mustExist: true), system: system)
  }

  package func make(
    _ realm: RealmID, _ body: (DatabaseFile) throws(StorageError) -> Void
  ) throws(StorageError) {
    let (folders, file) = place(of: realm)
    for folder in folders { try make(folder) }
    try CompleteFile.make(
      file, options: Self.options(mustExist: false), system: system, body)
    try record(realm.appName).change(
      adding: [Self.name(realm)], removing: [])
  }

  /// The realms of an app that were made, whether their files are there or not.
  package func recordedRealms(ofApp app: String) throws(StorageError) -> Set<RealmID> {
    let folder = RealmID.name(ofApp: app)
    return Set(try record(folder).names().map { RealmID("\(folder)/\($0)") })
  }

  /// Records realms that are there, as older servers did not, and forgets those that the operator
  /// goes on without: they are new when a client asks for them.
  package func record(
    _ found: Set<RealmID>, forgetting lost: Set<RealmID>, ofApp app: String
  ) throws(StorageError) {
    guard !found.isEmpty || !lost.isEmpty else { return }
    try record(RealmID.name(ofApp: app)).change(
      adding: found.map(Self.name).sorted(), removing: lost.map(Self.name))
  }

  package func hasFile(of realm: RealmID) -> Bool { CompleteFile.exists(path(of: realm)) }

  package func realms(ofApp app: String) throws(StorageError) -> [RealmID] {
    let app = RealmID.name(ofApp: app)
    let folder = "\(directory)/apps/\(app)/realms"
    guard let list = unsafe opendir(folder) else {
      guard errno != ENOENT else { return [] }
      throw .system(operation: "Reading", path: folder, code: errno)
    }
    defer { unsafe closedir(list) }
    let suffix = ".realm"
    var realms: [RealmID] = []
    while let entry = unsafe readdir(list) {
      let file = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
        unsafe name.withMemoryRebound(to: CChar.self, capacity: 1) { unsafe String(cString: $0) }
      }
      guard file.hasSuffix(suffix) else { continue }
      realms.append(RealmID("\(app)/\(file.dropLast(suffix.count))"))
    }
    return realms.sorted { $0.rawValue < $1.rawValue }
  }

  /// Makes a folder, whose name is on the disk on return.
  private func make(_ path: String) throws(StorageError) {
    if unsafe mkdir(path, 0o700) == 0 { return try system.syncDirectory(of: path) }
    guard errno == EEXIST else { throw .system(operation: "Creating", path: path, code: errno) }
  }
}
