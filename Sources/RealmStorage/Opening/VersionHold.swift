// SPDX-License-Identifier: Apache-2.0

// Pins of those who keep a version for longer than a read takes.

/// A pin of a version that says whose it is.
///
/// It costs a slot of the reader table, the reading of a clock, and no memory: sessions have one
/// for the version that they show, and reads have none.
package struct VersionHold: ~Copyable, Sendable {
  private let file: DatabaseFile
  private let pin: ReaderTable.Pin

  /// Pins the version of a snapshot once more; nil if the reader table is full.
  package init?(_ snapshot: Snapshot, by use: VersionUse) {
    guard let pin = try? snapshot.file.readers.pin(snapshot.version) else { return nil }
    file = snapshot.file
    self.pin = pin
    file.readers.note(use, of: snapshot.version, in: pin)
  }

  deinit { file.readers.releaseNoted(pin) }
}

extension Snapshot {
  /// Runs `body`, which reads the version for long, and says so to who looks.
  package func held<Result>(
    by use: VersionUse, _ body: () throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    let pin = try? file.readers.pin(version)
    if let pin { file.readers.note(use, of: version, in: pin) }
    defer { if let pin { file.readers.releaseNoted(pin) } }
    return try body()
  }
}
