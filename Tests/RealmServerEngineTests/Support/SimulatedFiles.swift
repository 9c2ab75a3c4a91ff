// SPDX-License-Identifier: Apache-2.0

// Realm files in memory that survive the server, as a disk does.

import RealmStorage
import RealmTestSupport

@testable import RealmServerEngine

/// The simulated files of a server, each a file system of its own.
final class SimulatedFiles: RealmFiles {
  private let systems: Locked<[RealmID: SimulatedFileSystem]>

  init() { systems = Locked([:]) }

  /// One realm whose file has these bytes.
  init(_ realm: RealmID, contents: [UInt8]) throws {
    systems = Locked([realm: try SimulatedFileSystem(contents: contents)])
  }

  func open(_ realm: RealmID) throws(StorageError) -> DatabaseFile {
    try system(realm).openDatabase()
  }

  func system(_ realm: RealmID) throws(StorageError) -> SimulatedFileSystem {
    if let known = systems.withLock({ $0[realm] }) { return known }
    let system = try SimulatedFileSystem()
    systems.withLock { $0[realm] = system }
    return system
  }

  /// The same files for another process.
  func restarted() throws -> SimulatedFiles {
    let copy = SimulatedFiles()
    for (realm, system) in systems.withLock({ $0 }) {
      let other = try SimulatedFileSystem(contents: system.file.contents())
      copy.systems.withLock { $0[realm] = other }
    }
    return copy
  }
}
