// SPDX-License-Identifier: Apache-2.0

// Hashes of passwords, made beside all other work.
//
// Invariants:
// 1. Hashes are made on a thread of their own, one at a time, and few wait: each takes long.
// 2. Logins and new passwords have half of the places each, and take turns: many who register do
//    not keep others from logging in.
// 3. Of each half the requesters take turns: a job waits for one of each other lane at most before
//    the next of its own.
// 4. There are at most so many jobs. If one comes when its half has no room, the last of the
//    longest lane goes, or the new one if its own lane is the longest.

#if Server
import RealmServerEngine
import RealmStorage
import RealmText

/// Makes and compares hashes of passwords.
///
/// An actor whose executor is a thread of its own.
package actor PasswordChecker {
  private struct Job {
    let password: [UInt8]
    let salt: [UInt8]
    let waiter: CheckedContinuation<Result<[UInt8], AccountError>, Never>
  }

  /// What a hash is for.
  private enum Purpose: Int, CaseIterable {
    case login
    case newPassword
  }

  private struct Waiting {
    /// By purposes.
    var halves: [FairQueue<Job>]
    /// The purpose whose turn it is.
    var turn = 0
    var isWorking = false

    var count: Int { halves.reduce(0) { $0 + $1.count } }

    mutating func next() -> Job? {
      for _ in halves.indices {
        defer { turn = (turn + 1) % halves.count }
        if let job = halves[turn].next() { return job }
      }
      return nil
    }
  }

  private let hasher: any PasswordHasher
  private nonisolated let thread = ThreadExecutor()
  private nonisolated let waiting: Locked<Waiting>

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe thread.asUnownedSerialExecutor()
  }

  package init(_ hasher: any PasswordHasher, waitingMax: Int = 64) {
    self.hasher = hasher
    waiting = Locked(
      Waiting(halves: Purpose.allCases.map { _ in FairQueue(countMax: waitingMax / 2) }))
  }

  nonisolated var waitingCount: Int { waiting.withLock { $0.count } }

  /// The hash of a new password.
  ///
  /// - Parameter requester: The name of the requester for limits.
  nonisolated func stored(
    _ password: String, salt: [UInt8], for requester: String
  ) async throws(AccountError) -> StoredPassword {
    StoredPassword(
      salt: salt, hash: try await hash(password, salt: salt, .newPassword, requester))
  }

  /// Whether a password is the stored one. Without a stored one it takes as long, so the time does
  /// not reveal accounts.
  nonisolated func matches(
    _ password: String, _ stored: StoredPassword?, for requester: String
  ) async throws(AccountError) -> Bool {
    let salt = stored?.salt ?? Array(repeating: 0, count: 16)
    let hash = try await hash(password, salt: salt, .login, requester)
    guard let stored else { return false }
    return ConstantTime.areEqual(hash, stored.hash)
  }

  private nonisolated func hash(
    _ password: String, salt: [UInt8], _ purpose: Purpose, _ lane: String
  ) async throws(AccountError) -> [UInt8] {
    let result = await withCheckedContinuation { waiter in
      let job = Job(password: Array(password.utf8), salt: salt, waiter: waiter)
      let (refused, begins) = waiting.withLock { waiting in
        let refused = waiting.halves[purpose.rawValue].append(job, lane)
        let begins = !waiting.isWorking && waiting.count > 0
        if begins { waiting.isWorking = true }
        return (refused, begins)
      }
      refused?.waiter.resume(returning: .failure(.busy))
      if begins { Task { await work() } }
    }
    return try result.get()
  }

  /// Makes hashes until none is waited for.
  private func work() {
    while let job = nextJob() {
      job.waiter.resume(returning: result(job))
    }
  }

  private func nextJob() -> Job? {
    waiting.withLock { waiting in
      let job = waiting.next()
      waiting.isWorking = job != nil
      return job
    }
  }

  private func result(_ job: Job) -> Result<[UInt8], AccountError> {
    do {
      return .success(try hasher.hash(job.password, salt: job.salt))
    } catch {
      return .failure(.store(.unavailable("no hash of a password: \(error)")))
    }
  }
}

/// Makes hashes of passwords. Making one takes long, for their protection.
package protocol PasswordHasher: Sendable {
  /// The hash of a password: 32 bytes. Blocks the thread.
  func hash(_ password: [UInt8], salt: [UInt8]) throws -> [UInt8]
}

/// Jobs in lanes; the lanes take turns.
struct FairQueue<Job> {
  private let countMax: Int
  private var lanes: [String: [Job]] = [:]
  /// The lanes with jobs, the next one first.
  private var turns: [String] = []
  private(set) var count = 0

  init(countMax: Int) { self.countMax = countMax }

  /// Adds a job. Returns the one for which there is no room.
  mutating func append(_ job: Job, _ lane: String) -> Job? {
    var refused: Job?
    if count >= countMax {
      let own = lanes[lane]?.count ?? 0
      guard let longest = lanes.max(by: { $0.value.count < $1.value.count }),
        longest.value.count > own + 1
      else { return job }
      // The lane keeps jobs, so it keeps its turn.
      refused = lanes[longest.key]?.popLast()
      count -= 1
    }
    if lanes[lane] == nil { turns.append(lane) }
    lanes[lane, default: []].append(job)
    count += 1
    return refused
  }

  mutating func next() -> Job? {
    guard !turns.isEmpty else { return nil }
    let lane = turns.removeFirst()
    guard var jobs = lanes[lane], !jobs.isEmpty else { return nil }
    let job = jobs.removeFirst()
    count -= 1
    lanes[lane] = jobs.isEmpty ? nil : jobs
    if !jobs.isEmpty { turns.append(lane) }
    return job
  }
}
#endif
