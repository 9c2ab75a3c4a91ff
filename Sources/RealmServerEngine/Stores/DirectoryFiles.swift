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

/// The files below `<directory>/apps/<app>/realms`.
package struct DirectoryFiles: RealmFiles {
  private let directory: String
  private let system: any FileSystem

  package init(
    directory: String, system: any FileSystem = SystemFiles(isPrivate: true)
  ) {
    self.directory = directory
    self.system = system
  }

  /// A server has many files open at a time, so each reserves little of the address space. A larger
  /// one is opened again, with four times its size.
  private static let reservedByteCount = 8 << 30
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

  private static func options(mustExist: Bool) -> OpenOptions {
    var options = OpenOptions(mustExist: mustExist)
    options.reservedByteCount = reservedByteCount
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
    _ realm: RealmID, _ body: (DatabaseFile) throws(StoreError) -> Void
  ) throws(StoreError) {
    let (folders, file) = place(of: realm)
    try StoreError.storing { () throws(StorageError) -> Void in
      for folder in folders { try make(folder) }
    }
    try CompleteFile.make(
      file, options: Self.options(mustExist: false), system: system, body)
  }

  package func hasFile(of realm: RealmID) -> Bool {
    var status = stat()
    return unsafe stat(path(of: realm), &status) == 0
  }

  package func realms(ofApp app: String) throws(StorageError) -> [RealmID] {
    let name = RealmName(app: app).fileID.rawValue.split(separator: "/").first.map(String.init)
    let folder = "\(directory)/apps/\(name ?? app)/realms"
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
      realms.append(RealmID("\(name ?? app)/\(file.dropLast(suffix.count))"))
    }
    return realms.sorted { $0.rawValue < $1.rawValue }
  }

  private func make(_ path: String) throws(StorageError) {
    let failed = unsafe mkdir(path, 0o700) != 0
    if failed, errno != EEXIST { throw .system(operation: "Creating", path: path, code: errno) }
  }
}
