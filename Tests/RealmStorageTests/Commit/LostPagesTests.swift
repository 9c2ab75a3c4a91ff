// SPDX-License-Identifier: Apache-2.0

// A sync that fails, after which the system takes pages for written that the disk never got.

import RealmTestSupport
import Synchronization
import TestExtensions
import Testing

@testable import RealmStorage

struct LostPagesTests {
  /// How the commits reach the disk.
  enum Kind: String, CaseIterable {
    case twoSyncs
    case oneSync
    case deferred
    case encrypted

    var durability: CommitDurability {
      switch self {
      case .twoSyncs, .encrypted: .twoSyncs
      case .oneSync: .oneSync
      case .deferred: .deferred
      }
    }
  }

  /// What happens after the failure.
  enum Next: CaseIterable {
    /// The file is closed, opened again and written.
    case reopening
    /// The same, and a sync of the next session fails, too.
    case failingAgain
    /// Another process that has the file open reads on, and may not write.
    case otherProcess
    /// The power fails at once.
    case powerFailure
    /// As `reopening`, after the lock file was removed. The system forgets what it was asked to.
    case removedLockFile
  }

  /// One row of the table of faults.
  struct Fault {
    var sync: Int
    var loss: PageLoss
    /// Whether the system goes on showing what the disk does not have.
    var keepsCache: Bool
    var next: Next
  }

  private final class Course {
    let system: SimulatedFileSystem
    let key: EncryptionKey?
    let durability: CommitDurability
    /// What the versions of each number hold.
    var contents: [UInt64: [[Int64]]] = [:]
    var acknowledged: UInt64
    private var next: Int64 = 1

    init(_ old: OlderFile, _ kind: Kind, key: EncryptionKey?) throws {
      system = try SimulatedFileSystem(contents: old.contents)
      self.key = key
      durability = kind.durability
      acknowledged = try SimulatedFileSystem(contents: old.contents)
        .openDatabase(key: key).newestVersion
      try system.openDatabase(key: key).forgetPast()
      contents[acknowledged] = [old.numbers]
      system.file.acknowledge(acknowledged)
    }

    func open() throws -> DatabaseFile { try system.openDatabase(key: key) }

    func commit(to file: DatabaseFile, _ durability: CommitDurability? = nil) throws {
      let durability = durability ?? self.durability
      let write = try file.beginWrite()
      write.durability = durability
      var numbers = try NumberTree.numbers(of: write.base)
      for index in stride(from: Int(next) % 97, to: numbers.count, by: 97) { numbers[index] &+= 1 }
      numbers[0] = next
      next += 1
      contents[write.version, default: []].append(numbers)
      try NumberTree.replace(with: numbers, in: write)
      let snapshot = try write.commit(changeset: [1])
      guard durability != .deferred else { return }
      acknowledged = snapshot.version
      system.file.acknowledge(acknowledged)
    }

    /// Why what a process reads is not acceptable.
    func violation(of file: DatabaseFile, since known: UInt64) throws -> String? {
      let snapshot = try file.snapshot()
      guard snapshot.version >= known else {
        return "version \(snapshot.version), not \(known) or a later one"
      }
      let numbers = try NumberTree.numbers(of: snapshot)
      guard contents[snapshot.version]?.contains(numbers) == true else {
        return "version \(snapshot.version) has other contents"
      }
      let findings = try file.check().filter { $0.severity == .error }
      return findings.isEmpty ? nil : "\(findings)"
    }

    /// Opens the file and writes to it as if nothing had happened.
    func goOn() throws -> String? {
      let file = try open()
      if let message = try violation(of: file, since: acknowledged) { return message }
      for _ in 0..<2 { try commit(to: file) }
      try commit(to: file, .twoSyncs)
      return try violation(of: file, since: acknowledged)
    }
  }

  private let key: EncryptionKey

  init() throws { key = try TestKeys.vector() }

  /// The files before the failure: small, with old and new nodes in the same pages.
  private func olderFile(_ key: EncryptionKey?) throws -> OlderFile {
    try OlderFile(500, commitCount: 9, key: key)
  }

  // MARK: - The table

  /// - Returns: What is wrong after the fault; nil if there were fewer syncs.
  private func violations(_ fault: Fault, _ old: OlderFile, _ kind: Kind) throws -> [String]? {
    let course = try Course(old, kind, key: kind == .encrypted ? key : nil)
    let disk = course.system.file
    disk.failSync(after: fault.sync, losing: fault.loss)
    disk.keepCached(fault.keepsCache)
    var messages: [String] = []
    do {
      var files: [DatabaseFile] = []
      do {
        files.append(try course.open())
        if fault.next == .otherProcess { files.append(try course.open()) }
        for _ in 0..<4 { try course.commit(to: files[0]) }
        try files[0].settle()
      } catch StorageError.system("Syncing", _, _) {}
      guard disk.trace.contains(where: \.isFailure) else { return nil }
      if files.count == 2 {
        if let message = try course.violation(of: files[1], since: course.acknowledged) {
          messages.append("the other process: \(message)")
        }
        #expect(throws: StorageError.self) { try files[1].beginWrite() }
      }
    }
    if fault.next == .removedLockFile { course.system.removeLockFiles() }
    if fault.next == .failingAgain {
      for sync in 1...2 {
        disk.failSync(after: sync, losing: fault.loss)
        do { _ = try course.goOn() } catch StorageError.system("Syncing", _, _) {}
      }
      disk.failSync(after: .max / 2, losing: fault.loss)
    }
    if fault.next != .powerFailure, let message = try course.goOn() { messages.append(message) }
    return try messages + crashes(of: course, old)
  }

  /// What is wrong after power failures since the first failed sync.
  private func crashes(of course: Course, _ old: OlderFile) throws -> [String] {
    let trace = course.system.file.trace
    let position = trace.firstIndex(where: \.isFailure) ?? trace.count
    let before = Array(trace[...min(position, trace.count - 1)])
    let known = before.reduce(UInt64(0)) {
      if case .acknowledge(let version) = $1 { version } else { $0 }
    }
    var random = SeededGenerator(seed: UInt64(trace.count))
    var messages: [String] = []
    let states = CrashStates(
      of: [.acknowledge(known)] + trace[(position + 1)...],
      initial: CrashStates.durable(after: before, initial: old.contents), subsetLimit: 2,
      sampleCount: 9, tornUnits: [])
    states.forEach(using: &random) { state in
      guard messages.count < 2 else { return }
      do {
        let file = try SimulatedFileSystem(contents: state.contents).openDatabase(key: course.key)
        let message = try course.violation(of: file, since: state.acknowledged)
        if let message { messages.append("\(state.name): \(message)") }
      } catch {
        messages.append("\(state.name): \(error)")
      }
    }
    return messages
  }

  /// Sync number n fails, pages are lost, life goes on in some way, and the power may fail at any
  /// time: what was acknowledged is there, and the file is whole.
  /// `EncryptedFile` 2, `DatabaseFile+Selector` 1, `CommitRecovery` 3.
  @Test(.heavy, arguments: Kind.allCases)
  func aFailedSyncCostsNothingThatWasAcknowledged(_ kind: Kind) throws {
    let old = try olderFile(kind == .encrypted ? key : nil)
    var random = SeededGenerator(seed: 48)
    var count = 0
    let syncCount = kind == .encrypted ? 14 : kind == .twoSyncs ? 8 : kind == .oneSync ? 6 : 3
    for round in 0..<RandomRuns.count(of: 90) {
      let fault = Fault(
        sync: Int.random(in: 1...syncCount, using: &random),
        loss: random.chance(0.4)
          ? .all : .some(seed: UInt64.random(in: 0...1 << 32, using: &random)),
        keepsCache: random.chance(0.7),
        next: Next.allCases[Int.random(in: 0..<Next.allCases.count, using: &random)])
      var row = fault
      if row.next == .removedLockFile { row.keepsCache = false }
      let messages = try violations(row, old, kind)
      expectEqual(messages ?? [], [], "round \(round): \(row)")
      if messages != nil { count += 1 }
    }
    expectTrue(count > RandomRuns.count(of: 90) / 2, "\(count)")
    RandomRuns.report(count, "failed syncs, \(kind)")
  }

  // MARK: - The header

  /// A run whose last commit changed the selector, which the disk did not get.
  private func withLostSelector() throws -> (course: Course, files: [DatabaseFile]) {
    let course = try Course(try olderFile(nil), .twoSyncs, key: nil)
    let files = try [course.open(), course.open()]
    try course.commit(to: files[0])
    course.system.file.failSync(after: 2, losing: .all)
    #expect(throws: StorageError.self) { try course.commit(to: files[0]) }
    course.system.file.failSync(after: .max / 2, losing: .all)
    return (course, files)
  }

  private func crashes(of course: Course) throws -> [String] {
    try crashes(of: course, try olderFile(nil))
  }

  /// What an agent uploads is not taken back, also where nothing says that a sync failed.
  /// `SyncAgentClaim`
  @Test func anAgentMakesTheHeaderDurable() throws {
    let course = try withLostSelector().course
    course.system.removeLockFiles()
    let file = try course.open()
    let version = file.newestVersion
    try file.claimAgent().release()
    course.system.file.acknowledge(version)
    expectTrue(version > course.acknowledged)
    try expectEqual(crashes(of: course), [])
  }

  /// A process dies when its sync has failed; another one goes on with what it committed.
  @Test func aVersionOfADeadProcessIsMadeDurable() throws {
    let (course, files) = try withLostSelector()
    let memory = files[1].session.memory
    unsafe memory.poisoned.pointee.store(0, ordering: .relaxed)
    unsafe memory.committing.pointee.store(files[1].newestVersion + 1, ordering: .relaxed)
    for _ in 0..<3 { try course.commit(to: files[1]) }
    try expectEqual(crashes(of: course), [])
  }
}

extension FileEvent {
  fileprivate var isFailure: Bool { if case .failedSync = self { true } else { false } }
}
