// SPDX-License-Identifier: Apache-2.0

// What a file costs, and who keeps its old versions.

import RealmSession
import RealmStorage

extension Realm {
  /// A version that realms, frozen objects and results keep.
  public struct PinnedVersion: Hashable, Sendable {
    /// A realm, a frozen realm, a backup or a check that keeps a version.
    public struct Holder: Hashable, Sendable {
      /// The process.
      public let processIdentifier: Int32
      /// The thread on which it took the version, as `ps -L`, `top -H` and debuggers number it.
      public let threadIdentifier: UInt64
      /// The call by which it took the version, such as `freeze()`, `refresh()`, `Realm.init` or a
      /// write transaction.
      public let call: String
      /// For how long it has had the version.
      public let heldDuration: Duration
    }

    /// The number of the version.
    public let version: UInt64
    /// How many versions are newer.
    public let newerVersionCount: UInt64
    /// How many realms, frozen realms and results of all processes show it.
    public let readerCount: Int
    /// The processes that keep it, ascending. One that uses an older version of this library is
    /// missing.
    public let processIdentifiers: [Int32]
    /// Who keeps it, of all processes, the longest first. Observers and results that are just being
    /// computed are not among them.
    public let holders: [Holder]
    /// For how long commits of this process have found it in use beside a newer version; nil if
    /// none has.
    public let heldDuration: Duration?
  }

  /// The figures of a file at one moment.
  public struct Statistics: Sendable {
    /// The newest version.
    public let version: UInt64
    /// The length of the file.
    public let fileByteCount: Int
    /// The bytes that the newest version uses.
    public let usedByteCount: Int
    /// The bytes that the next write transactions can use.
    public let freeByteCount: Int
    /// The bytes that cannot be used before older versions are released.
    public let pinnedByteCount: Int
    /// The number of versions that realms, frozen objects and results of all processes keep.
    public let activeVersionCount: Int
    /// The number of commits that this process made since it opened the file.
    public let commitCount: Int
    /// The number of write transactions in these commits.
    public let transactionCount: Int
    /// The bytes that these commits wrote.
    public let writtenByteCount: Int
    /// The time that their writers waited together for other writers.
    public let waitDuration: Duration
    /// The number of writers of this process that wait now.
    public let waitingWriterCount: Int
  }

  /// The versions of the file that are in use by any process, the oldest first.
  ///
  /// An old version keeps all that it needs, so the file grows while it is in use: by a frozen
  /// object that is kept for too long, or a realm that is never refreshed. This says which versions
  /// these are, and which processes keep them. A version that commits find in use for more than ten
  /// seconds is logged, too, once, at the level `warn`.
  ///
  /// ```swift
  /// for old in realm.pinnedVersions where old.newerVersionCount > 100 {
  ///   for holder in old.holders { print(old.version, holder.call, holder.heldDuration) }
  /// }
  /// ```
  ///
  /// The realm's own version is among them. Each of the ``PinnedVersion/holders`` is named with its
  /// thread, the call by which it took the version, and since when. A frozen realm is named with
  /// the first `freeze()` of its version, as all that freeze one version share it; a frozen object
  /// or result keeps its realm.
  ///
  /// Realms note that when they move to another version, for less than 100 nanoseconds; reads of
  /// objects and collections cost nothing for it. The line of a program that made the call is not
  /// known: that would take a backtrace at each move.
  public var pinnedVersions: [PinnedVersion] {
    core.checkIsolation()
    let file = core.file
    let newest = file.newestVersion
    return file.heldVersions.map { held in
      PinnedVersion(
        version: held.version, newerVersionCount: newest - min(held.version, newest),
        readerCount: held.readerCount, processIdentifiers: held.processes,
        holders: held.holders.map { holder in
          PinnedVersion.Holder(
            processIdentifier: holder.process, threadIdentifier: holder.thread,
            call: holder.use.call, heldDuration: .nanoseconds(holder.heldNanoseconds))
        },
        heldDuration: held.heldNanoseconds.map { .nanoseconds($0) })
    }
  }

  /// The figures of the file: its size, what is free, what old versions keep, and what this process
  /// committed.
  ///
  /// ```swift
  /// let statistics = realm.statistics
  /// print(statistics.usedByteCount, "of", statistics.fileByteCount, "bytes")
  /// ```
  ///
  /// The cost is one pass over the list of free blocks. ``pinnedVersions`` says which versions are
  /// kept, and by whom; ``observeCommits(_:)`` gives the figures of each commit.
  public var statistics: Statistics {
    core.checkIsolation()
    let found = orTrap(try core.file.statistics())
    return Statistics(
      version: found.version, fileByteCount: found.byteCount, usedByteCount: found.usedByteCount,
      freeByteCount: found.freeByteCount, pinnedByteCount: found.pinnedByteCount,
      activeVersionCount: found.pinnedVersionCount, commitCount: found.commitCount,
      transactionCount: found.work.transactionCount, writtenByteCount: found.work.byteCount,
      waitDuration: .nanoseconds(found.work.waitNanoseconds),
      waitingWriterCount: found.waiterCount)
  }
}
