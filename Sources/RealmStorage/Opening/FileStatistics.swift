// SPDX-License-Identifier: Apache-2.0

// The figures of a file, for who operates a program.

import Dispatch
import Synchronization

/// The commits that this process made to a file.
final class CommitCounters: Sendable {
  private let commits = Atomic(0)
  private let transactions = Atomic(0)
  private let bytes = Atomic(0)
  private let wait = Atomic<UInt64>(0)

  func add(_ work: CommitWork) {
    commits.wrappingAdd(1, ordering: .relaxed)
    transactions.wrappingAdd(work.transactionCount, ordering: .relaxed)
    bytes.wrappingAdd(work.byteCount, ordering: .relaxed)
    wait.wrappingAdd(work.waitNanoseconds, ordering: .relaxed)
  }

  var commitCount: Int { commits.load(ordering: .relaxed) }

  var work: CommitWork {
    var work = CommitWork()
    work.transactionCount = transactions.load(ordering: .relaxed)
    work.byteCount = bytes.load(ordering: .relaxed)
    work.waitNanoseconds = wait.load(ordering: .relaxed)
    return work
  }
}

/// The figures of a file at one moment.
package struct FileStatistics: Sendable {
  package let version: UInt64
  /// The length of the file.
  package let byteCount: Int
  /// The bytes that the newest version uses.
  package let usedByteCount: Int
  /// The bytes that a commit could use now, as far as it is known which versions are in use.
  package let freeByteCount: Int
  /// The bytes that no commit can use before older versions are released.
  package let pinnedByteCount: Int
  /// The number of versions that readers of all processes pin.
  package let pinnedVersionCount: Int
  /// What this process committed since it opened the file.
  package let commitCount: Int
  package let work: CommitWork
  /// The number of writers of this process that wait.
  package let waiterCount: Int
}

extension DatabaseFile {
  /// The figures of the file.
  package func statistics() throws(StorageError) -> FileStatistics {
    let newest = try snapshot()
    let top = try newest.top()
    let free = try FreeSpace(top, in: newest.space).blocks
    let pinned = pinnedVersions
    let oldest = pinned.first ?? newest.version
    var pinnedByteCount = 0
    var freeByteCount = 0
    for block in free {
      if block.tag > oldest {
        pinnedByteCount += block.byteCount
      } else {
        freeByteCount += block.byteCount
      }
    }
    return FileStatistics(
      version: newest.version, byteCount: try fileByteCount(),
      usedByteCount: top.logicalSize - pinnedByteCount - freeByteCount,
      freeByteCount: freeByteCount, pinnedByteCount: pinnedByteCount,
      pinnedVersionCount: pinned.count, commitCount: counters.commitCount, work: counters.work,
      waiterCount: writers.waiterCount)
  }

  /// The versions that readers of all processes pin, ascending.
  package var heldVersions: [HeldVersion] {
    readers.heldVersions().map { version in
      var version = version
      version.heldNanoseconds = held.nanoseconds(since: version.version)
      return version
    }
  }

  /// Notes which old versions a commit of this process found in use, and warns of those that are
  /// held for long.
  func noteHeld(
    _ versions: [UInt64], at now: UInt64 = DispatchTime.now().uptimeNanoseconds
  ) {
    for version in held.note(versions, at: now) {
      let known = heldVersions.first { $0.version == version }
      HeldVersions.warn(
        HeldVersions.Warning(
          path: path, version: version, newestVersion: newestVersion,
          heldNanoseconds: held.nanoseconds(since: version, at: now) ?? 0,
          processes: known?.processes ?? [], holders: known?.holders ?? []))
    }
  }
}
