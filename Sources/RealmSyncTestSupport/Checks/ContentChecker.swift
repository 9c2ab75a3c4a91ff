// SPDX-License-Identifier: Apache-2.0

// The rules of each step of a simulated network.
//
// Invariants:
// 1. The cursors of a file never go back (SY6), as long as it has one identity.
// 2. A change is in the history once, and those of a file are there in their order (SY3). A
//    restored backup is the beginning of another history.
// 3. A message claims nothing of a file or the history before the disk has it (SY11).
// 4. At a quiet moment all files have the content of the server (SY4).

package import RealmServerEngine
package import RealmSyncProtocol

/// Finds broken rules in the states and messages of a network.
package struct ContentChecker {
  /// The broken rules.
  package private(set) var problems: [String] = []
  private var files: [String: SessionFile] = [:]
  /// The last version of each file in the history.
  private var uploaded: [FileIdentifier: UInt64] = [:]
  /// The last checked version of the history.
  package private(set) var version: UInt64 = 0

  package init() {}

  /// Rule 1.
  package mutating func check(_ file: SessionFile, of device: String) {
    guard let last = files.updateValue(file, forKey: device),
      last.ident == .own || DeviceFileIdentity(last) == DeviceFileIdentity(file),
      file.cursors.goesBack(from: last.cursors)
    else { return }
    problems.append("\(device): the cursors \(last.cursors) became \(file.cursors)")
  }

  /// Begins with the history of a backup.
  ///
  /// - Parameter head: Its newest version.
  mutating func restore(_ entries: [StoredEntry], head: UInt64) {
    uploaded = [:]
    check(entries)
    version = head
  }

  /// Rule 2.
  package mutating func check(_ entries: [StoredEntry]) {
    for entry in entries {
      version = max(version, entry.version)
      guard entry.file > .server else { continue }
      let last = uploaded.updateValue(entry.clientVersion, forKey: entry.file) ?? 0
      if entry.clientVersion <= last {
        problems.append(
          "version \(entry.version): \(entry.clientVersion) of file \(entry.file.rawValue) "
            + "after \(last)")
      }
    }
  }

  /// Rule 3, for a client.
  ///
  /// - Parameter file: The state on the disk.
  package mutating func check(_ said: StoredState, by device: String, _ file: SessionFile) {
    if said.file != file.ident || said.version > file.version
      || said.serverVersion > file.cursors.download.serverVersion
    {
      problems.append("\(device): said \(said) of \(file)")
    }
  }

  /// Rule 3, for the server.
  ///
  /// - Parameters:
  ///   - file: The stored record of the client's file; nil if there is none.
  ///   - head: The newest stored version.
  package mutating func check(_ said: StoredProgress, _ file: ClientFile?, head: UInt64) {
    if said.version > head || said.clientVersion > file?.clientVersion ?? 0 || file == nil {
      problems.append("the server said \(said) at version \(head) of \(String(describing: file))")
    }
  }

  /// Rule 3, for the server: a message names what it says of a file.
  package mutating func check(
    _ cursors: SyncCursors, are said: StoredProgress?, of file: FileIdentifier? = nil
  ) {
    let names = StoredProgress(
      file: file ?? said?.file ?? .server, clientVersion: cursors.upload.clientVersion,
      version: cursors.latest.version)
    if names != said {
      problems.append("the server sent \(names) as \(String(describing: said))")
    }
  }

  /// Rule 4.
  package mutating func check(_ digest: StateDigest, of device: String, _ expected: StateDigest) {
    if digest != expected { problems.append("\(device): has other content than the server") }
  }
}
