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

  package func open(_ realm: RealmID) throws(StorageError) -> DatabaseFile {
    let names = realm.rawValue.split(separator: "/")
    var path = directory
    for name in ["apps"] + names.dropLast().map(String.init) {
      try make(path)
      path += "/" + name
    }
    try make(path)
    path += "/realms"
    try make(path)
    return try DatabaseFile.open(
      path: "\(path)/\(names.last ?? "realm").realm", system: system)
  }

  private func make(_ path: String) throws(StorageError) {
    let failed = unsafe mkdir(path, 0o700) != 0
    if failed, errno != EEXIST { throw .system(operation: "Creating", path: path, code: errno) }
  }
}
