// SPDX-License-Identifier: Apache-2.0

// Tells apps how far uploads and downloads are (P1 D.6).
//
// 1. A handler for the work at hand is called with a complete transfer once, and then never again.
// 2. Nothing is reported before the first message of the server, and with subscriptions nothing of
//    a download before the first message of a set.
// 3. One task at a time reads the file and calls the handlers, in the order of the news.

#if Sync
import Foundation
import RealmStorage
import RealmSync
import RealmSyncProtocol

/// The progress of one session.
final class SyncProgressReporter: Sendable {
  typealias Handler = @Sendable (TransferProgress) -> Void

  private struct Entry {
    let direction: SyncSession.ProgressDirection
    let isForWorkAtHand: Bool
    let handler: Handler
    /// The bytes of the last complete transfer.
    var base: Int
    /// The bytes of the work at hand, with all before it.
    var goal: Int
    /// The newest subscription set when the handler was added.
    let queryVersion: UInt64
    /// The last call.
    var reported: TransferProgress?
  }

  /// The server's word about the download of a subscription set.
  private struct Estimate {
    var queryVersion: UInt64
    /// The part already here: 0 for nothing, 1 for all.
    var share: Double
  }

  private struct State {
    var entries: [UUID: Entry] = [:]
    var listener: VersionListener?
    /// The newest estimate; nil in partition mode, and before the first message of a set.
    var estimate: Estimate?
    /// The estimates since the last calls, oldest first.
    var news: [Estimate] = []
    var hasDownloaded = false
    var isReading = false
    var isNewer = false
    /// Waits for handlers to know the state of the file.
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let agent: SyncAgent
  private let isFlexible: Bool
  private let state = Locked(State())

  /// - Parameter isFlexible: Whether the objects of the file are selected by subscriptions.
  init(_ agent: SyncAgent, isFlexible: Bool) {
    self.agent = agent
    self.isFlexible = isFlexible
  }

  /// Adds a handler, and returns its name. Nil if the file cannot be read.
  func add(
    _ direction: SyncSession.ProgressDirection, isForWorkAtHand: Bool,
    _ handler: @escaping Handler
  ) -> UUID? {
    guard let file = fileState(),
      let version = isFlexible ? try? agent.newestQueryVersion() : 0
    else { return nil }
    let id = UUID()
    let (done, all) = bytes(file, direction)
    state.withLock { state in
      state.entries[id] = Entry(
        direction: direction, isForWorkAtHand: isForWorkAtHand, handler: handler, base: done,
        goal: all, queryVersion: version)
    }
    if direction == .upload { listen() }
    read()
    return id
  }

  func remove(_ id: UUID) {
    let listener = state.withLock { state -> VersionListener? in
      state.entries[id] = nil
      guard !state.entries.values.contains(where: { $0.direction == .upload }) else { return nil }
      defer { state.listener = nil }
      return state.listener
    }
    listener?.cancel()
  }

  /// Takes the progress of a message.
  func downloaded(_ progress: ServerMessage.Progress) {
    let isWatched = state.withLock { state in
      state.hasDownloaded = true
      if case .flexible(let version, _, .estimate(let share)) = progress, version > 0 {
        Self.note(Estimate(queryVersion: version, share: min(max(share, 0), 1)), in: &state)
      }
      if state.entries.isEmpty { state.news = [] }
      return !state.entries.isEmpty
    }
    if isWatched { read() }
  }

  /// Notes an estimate. A download of several messages begins with nothing.
  private static func note(_ estimate: Estimate, in state: inout State) {
    let last = state.estimate
    let begins =
      last.map { $0.queryVersion < estimate.queryVersion || $0.share > estimate.share } ?? true
    state.estimate = estimate
    if begins, estimate.share < 1 {
      state.news.append(Estimate(queryVersion: estimate.queryVersion, share: 0))
    } else if let newest = state.news.last, newest.queryVersion == estimate.queryVersion,
      newest.share > 0
    {
      state.news.removeLast()
    }
    state.news.append(estimate)
  }

  /// Waits until the handlers know the present state of the file.
  ///
  /// - Parameter hasDownloaded: Whether everything is here, by the word of the server.
  func flush(hasDownloaded: Bool) async {
    let isWatched = state.withLock { state in
      if hasDownloaded { state.hasDownloaded = true }
      // The task that reads may not have called yet the handlers of the entries that it has ended.
      return !state.entries.isEmpty || state.isReading
    }
    guard isWatched else { return }
    await withCheckedContinuation { waiter in
      state.withLock { $0.waiters.append(waiter) }
      read()
    }
  }

  /// Uploads grow with each commit.
  private func listen() {
    guard state.withLock({ $0.listener == nil }),
      let listener = try? agent.file.onNewVersion({ [weak self] _ in self?.read() })
    else { return }
    state.withLock { $0.listener = listener }
  }

  private func fileState() -> FileState? { try? FileState(agent.file.snapshot()) }

  /// Reads the state of the file, and tells the handlers.
  private func read() {
    let begins = state.withLock { state in
      if state.isReading {
        state.isNewer = true
        return false
      }
      state.isReading = true
      return true
    }
    guard begins else { return }
    Task {
      while true {
        let waiters = state.withLock { state in
          defer { state.waiters = [] }
          return state.waiters
        }
        if let file = fileState() { notify(file) }
        for waiter in waiters { waiter.resume() }
        let goesOn = state.withLock { state in
          assert(state.isReading, "`SyncProgressReporter` 3")
          defer { state.isNewer = false }
          state.isReading = state.isNewer
          return state.isNewer
        }
        if !goesOn { return }
      }
    }
  }

  private func notify(_ file: FileState) {
    let calls = state.withLock { state -> [(Handler, TransferProgress)] in
      guard state.hasDownloaded else { return [] }
      let news = state.news.isEmpty ? [state.estimate].compactMap(\.self) : state.news
      state.news = []
      var calls: [(Handler, TransferProgress)] = []
      for (id, entry) in state.entries {
        var entry: Entry? = entry
        if isFlexible, entry?.direction == .download {
          for estimate in news { call(&entry, file, estimate, &calls) }
        } else {
          call(&entry, file, nil, &calls)
        }
        state.entries[id] = entry
      }
      return calls
    }
    for (handler, progress) in calls { handler(progress) }
  }

  /// Adds the call of a handler, unless it heard the same before; the entry becomes nil with the
  /// last one.
  private func call(
    _ entry: inout Entry?, _ file: FileState, _ estimate: Estimate?,
    _ calls: inout [(Handler, TransferProgress)]
  ) {
    guard var known = entry else { return }
    // The download of an older set is not the work at hand.
    if let estimate, known.isForWorkAtHand, estimate.queryVersion < known.queryVersion { return }
    let progress = progress(of: known, file, estimate)
    let isComplete = progress.estimate >= 1
    if isComplete { known.base = bytes(file, known.direction).done }
    if known.reported != progress { calls.append((known.handler, progress)) }
    known.reported = progress
    entry = isComplete && known.isForWorkAtHand ? nil : known
  }

  private func progress(
    of entry: Entry, _ file: FileState, _ estimate: Estimate?
  ) -> TransferProgress {
    let (done, all) = bytes(file, entry.direction)
    if let estimate {
      // The server tells the part, and no number of bytes.
      let isPart = estimate.share > 0 && estimate.share < 1 && done > entry.base
      let rest = isPart ? (Double(done) - Double(entry.base)) * (1 / estimate.share - 1) : 0
      return TransferProgress(
        transferred: done, transferable: sum(done, Int(exactly: rest.rounded()) ?? 0),
        estimate: estimate.share)
    }
    let goal = entry.isForWorkAtHand ? entry.goal : all
    let base = Double(entry.base)
    let share = goal <= entry.base ? 1 : (Double(done) - base) / (Double(goal) - base)
    return TransferProgress(
      transferred: min(done, goal), transferable: goal, estimate: min(max(share, 0), 1))
  }

  /// The transferred bytes, and all known ones.
  private func bytes(
    _ file: FileState, _ direction: SyncSession.ProgressDirection
  ) -> (done: Int, all: Int) {
    switch direction {
    case .upload: (file.uploadedByteCount, max(file.uploadedByteCount, file.uploadableByteCount))
    case .download:
      (
        file.downloadedByteCount,
        isFlexible
          ? file.downloadedByteCount : sum(file.downloadedByteCount, file.downloadableByteCount)
      )
    }
  }

  /// The sum of two numbers of bytes; a damaged file may have any.
  private func sum(_ left: Int, _ right: Int) -> Int {
    let (sum, isTooLarge) = left.addingReportingOverflow(right)
    return isTooLarge ? .max : sum
  }
}
#endif
