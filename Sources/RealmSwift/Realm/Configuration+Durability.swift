// SPDX-License-Identifier: Apache-2.0

// How long commits wait for the disk.

import RealmStorage

extension Realm.Configuration {
  /// When the commits of a realm reach the disk.
  ///
  /// In every case a crash at any time leaves whole versions, never a part of one, and a program
  /// that is killed loses no transaction that it committed. The difference is what a crash of the
  /// system, or a power failure, may leave. A file whose realms were closed is the same in all
  /// cases.
  public enum Durability: Hashable, Sendable {
    /// A commit waits for the disk twice. When it returns, every reader finds its version after a
    /// crash: this library, and other implementations of the file format.
    case twoSyncs
    /// A commit waits for the disk once. When it returns, this library finds its version after a
    /// crash. Another implementation, or a version of this library without this option, finds that
    /// version or the one before, and if it writes to the file first, the last one is lost.
    case oneSync
    /// A commit does not wait for the disk. Its version reaches the disk about a second later, with
    /// the next commit that waits, or when the file is closed; a crash of the system until then may
    /// lose it, with all others since the last wait. Asynchronous commits wait once, as with
    /// ``oneSync``.
    ///
    /// If the disk fails meanwhile, those that it did not take are lost. The commits that follow
    /// throw. Where none follow, as when the file is closed, the shared ``Logger`` gets an error.
    /// Until all realms of the file are closed, readers of such a version may meet damage.
    case deferred

    /// The same for the storage engine.
    var stored: CommitDurability {
      switch self {
      case .twoSyncs: .twoSyncs
      case .oneSync: .oneSync
      case .deferred: .deferred
      }
    }
  }
}
