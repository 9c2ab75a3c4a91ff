// SPDX-License-Identifier: Apache-2.0

// The folder of a node: copies of its realms' objects, and its name.

#if Postgres
import RealmServerEngine
import RealmStorage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The files of a node's replicas, and its name. The folders in it may be removed while no server
/// runs: replicas are made again.
struct ReplicaFolder: Sendable {
  let path: String
  let system: any FileSystem

  /// The path of a realm's replica, whose folder is made if it is missing.
  func path(of realm: RealmID) throws(StorageError) -> String {
    var folder = path
    let names = realm.rawValue.split(separator: "/")
    try make(folder)
    for name in names.dropLast() {
      folder += "/" + name
      try make(folder)
    }
    return "\(folder)/\(names.last ?? "realm").realm"
  }

  /// The name of the node: a random one, kept in the folder, so a restarted server
  /// is the owner of its realms still.
  func node() throws(StorageError) -> String {
    try make(path)
    let file = try system.open(path: path + "/node", mode: .readWriteCreating)
    let byteCount = min(64, try file.byteCount())
    if byteCount >= 16 {
      return String(decoding: try file.bytes(0..<byteCount), as: UTF8.self)
    }
    let name = String(UInt64.random(in: 1 << 60...UInt64.max), radix: 16)
    try file.write(Array(name.utf8), at: 0)
    try file.sync()
    return name
  }

  /// Removes a file, if it is there.
  func remove(_ path: String) { unsafe unlink(path) }

  /// Gives a file another name, in place of its former file.
  func move(_ path: String, to other: String) throws(StorageError) {
    guard unsafe rename(path, other) == 0 else {
      throw .system(operation: "Renaming", path: path, code: errno)
    }
  }

  private func make(_ path: String) throws(StorageError) {
    if unsafe mkdir(path, 0o700) == 0 { return }
    guard errno == EEXIST else { throw .system(operation: "Creating", path: path, code: errno) }
  }
}
#endif
