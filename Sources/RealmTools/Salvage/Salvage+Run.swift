// SPDX-License-Identifier: Apache-2.0

// `realm salvage`: the file appears when it is complete, and a program that is stopped leaves
// nothing of it.

#if Tools
package import RealmSalvage
package import RealmStorage

extension Salvage {
  /// Saves what can be read of the file at `path`.
  ///
  /// - Throws: `ToolFailure` if the file is no realm, or nothing of it can be read.
  package static func run(
    _ path: String, key: EncryptionKey?, to target: String,
    progress: @escaping ProgressHandler = { _, _ in }
  ) throws -> SalvageReport {
    try NewFile.make(at: target) { unfinished in
      do {
        return try write(
          path, key: key, to: unfinished,
          scratch: Scratch(willMake: UnfinishedFiles.add, didRemove: UnfinishedFiles.remove),
          progress: progress)
      } catch let failure as SalvageFailure {
        throw ToolFailure(.badData, failure.message)
      }
    }
  }
}
#endif
