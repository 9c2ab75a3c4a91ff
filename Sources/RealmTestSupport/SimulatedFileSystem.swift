// SPDX-License-Identifier: Apache-2.0

// A file system with one database file, for tests that record calls, inject faults and simulate
// crashes.

package import RealmStorage

/// A deterministic file system in memory.
///
/// The database file is a `SimulatedFile`; lock files are ordinary files in memory, and stay when
/// they are closed: a crash makes their contents void, the end of a process does not.
///
/// To reopen a file in a state that a crash may leave, create a new file
/// system with one of the `CrashStates`.
package final class SimulatedFileSystem: FileSystem {
  /// The database file, with whatever path it is opened.
  package let file: SimulatedFile
  private let lockFiles = MemoryFiles()
  private let closedLockFiles = Locked<[String: any StorageFile]>([:])
  private let lockDirectory: TemporaryDirectory?

  /// A file system whose database file has these bytes.
  ///
  /// - Parameter lockDirectory: Where lock files are real files, so that each caller that opens the
  ///   database has locks of its own, as processes have. Without it all have the same.
  package init(
    contents: [UInt8] = [], lockDirectory: TemporaryDirectory? = nil
  ) throws(StorageError) {
    file = try SimulatedFile(path: "/simulated/test.realm", contents: contents)
    self.lockDirectory = lockDirectory
  }

  package func open(path: String, mode: FileOpenMode) throws(StorageError) -> any StorageFile {
    guard path.hasSuffix(".lock") else { return file }
    if let lockDirectory {
      return try SystemFiles().open(path: lockDirectory.file("a.lock"), mode: mode)
    }
    let lockFile = try lockFiles.open(path: path, mode: mode)
    closedLockFiles.withLock { $0[path] = lockFile }
    return lockFile
  }

  /// Removes the lock files, to be called between two sessions.
  package func removeLockFiles() {
    let files = closedLockFiles.withLock { files in
      defer { files = [:] }
      return files
    }
    withExtendedLifetime(files) {}
  }

  /// Calls `body` with each lock file, to be called between two sessions.
  package func forEachLockFile(
    _ body: (any StorageFile) throws(StorageError) -> Void
  ) throws(StorageError) {
    for file in closedLockFiles.withLock({ Array($0.values) }) { try body(file) }
  }

  /// Opens the database.
  ///
  /// - Parameter registry: The open databases of the process that opens it; a new process if it is
  ///   left out. Without a directory of lock files it has the locks of another that is open, too,
  ///   as both have one descriptor of the lock file.
  package func openDatabase(
    key: EncryptionKey? = nil, history: HistoryKind = .inFile,
    registry: FileRegistry = FileRegistry()
  ) throws(StorageError) -> DatabaseFile {
    try DatabaseFile.open(
      path: file.path, options: OpenOptions(encryptionKey: key, history: history), system: self,
      registry: registry)
  }
}
