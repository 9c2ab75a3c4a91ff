// SPDX-License-Identifier: Apache-2.0

// Deletes the file of a synchronised realm that the server cannot go on with.

#if Sync
import Foundation
import RealmStorage

/// Deletes files when they are closed.
enum SyncFileRemoval {
  /// Deletes the file at a path, when no realm of it is open in this process.
  static func remove(_ path: String) {
    var configuration = Realm.Configuration(fileURL: URL(fileURLWithPath: path))
    configuration.synchronisation = RecordedFile()
    let closed = configuration
    Task {
      // A session that failed has nothing to wait for: it is gone a moment after the last realm.
      for _ in 0..<1_000 {
        do {
          _ = try Realm.deleteFiles(for: closed)
          return
        } catch let error as Realm.Error where error.code == .alreadyOpen {
          try? await Task.sleep(for: .milliseconds(20))
        } catch {
          return Logger.log(.error, "'\(path)' cannot be deleted: \(error)")
        }
      }
      Logger.log(.error, "'\(path)' cannot be deleted, as it is still open")
    }
  }
}
#endif
