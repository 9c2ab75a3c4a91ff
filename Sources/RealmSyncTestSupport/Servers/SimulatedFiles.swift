// SPDX-License-Identifier: Apache-2.0

// Realm files in memory that survive the server, as a disk does.

package import RealmServerEngine
package import RealmStorage
package import RealmTestSupport

/// The simulated files of a server, each a file system of its own.
package final class SimulatedFiles: RealmFiles {
  private let systems: Locked<[RealmID: SimulatedFileSystem]>
  /// The open databases of the server's process, by realm: all simulated files have one path.
  private let registries = Locked<[RealmID: FileRegistry]>([:])

  package init() { systems = Locked([:]) }

  /// One realm whose file has these bytes.
  package init(_ realm: RealmID, contents: [UInt8]) throws {
    systems = Locked([realm: try SimulatedFileSystem(contents: contents)])
  }

  package func open(_ realm: RealmID) throws(StorageError) -> DatabaseFile {
    let registry = registries.withLock { registries in
      let registry = registries[realm] ?? FileRegistry()
      registries[realm] = registry
      return registry
    }
    return try system(realm).openDatabase(registry: registry)
  }

  package func make(
    _ realm: RealmID, _ body: (DatabaseFile) throws(StorageError) -> Void
  ) throws(StorageError) {
    try body(open(realm))
  }

  package func hasFile(of realm: RealmID) -> Bool {
    systems.withLock { $0[realm] != nil }
  }

  package func realms(ofApp app: String) -> [RealmID] {
    systems.withLock { Array($0.keys) }.filter { $0.rawValue.hasPrefix(app + "/") }
      .sorted { $0.rawValue < $1.rawValue }
  }

  /// The file system of a realm's file.
  package func system(_ realm: RealmID) throws(StorageError) -> SimulatedFileSystem {
    if let known = systems.withLock({ $0[realm] }) { return known }
    let system = try SimulatedFileSystem()
    systems.withLock { $0[realm] = system }
    return system
  }

  /// The files of a backup, as an operator makes them of a running server, and what is wrong with
  /// them.
  func copied() throws -> (files: SimulatedFiles, findings: [String]) {
    let copy = SimulatedFiles()
    var findings: [String] = []
    for realm in systems.withLock({ Array($0.keys) }) {
      let other = try SimulatedFileSystem()
      try InspectedFiles.copy(open(realm), to: other.file)
      findings += try InspectedFiles.check(other.openDatabase(), of: realm)
      copy.systems.withLock { $0[realm] = other }
    }
    return (copy, findings)
  }

  /// The same files for another process.
  package func restarted() throws -> SimulatedFiles {
    let copy = SimulatedFiles()
    for (realm, system) in systems.withLock({ $0 }) {
      let other = try SimulatedFileSystem(contents: system.file.contents())
      copy.systems.withLock { $0[realm] = other }
    }
    return copy
  }
}
