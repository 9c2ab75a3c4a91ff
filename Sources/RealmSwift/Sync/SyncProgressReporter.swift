// SPDX-License-Identifier: Apache-2.0

// Tells apps how far uploads and downloads are (P1 D.6).
//
// 1. A handler for the work at hand is called with a complete transfer once, and then never again.
// 2. Nothing is reported before the first message of the server.

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
    /// What was transferred when everything was, the last time.
    var base: Int
    /// What is to be transferred for the work at hand.
    var goal: Int
  }

  private struct State {
    var entries: [UUID: Entry] = [:]
    var listener: VersionListener?
    /// The newest estimate of a download with subscriptions; nil before the first message.
    var estimate: Double?
    var hasDownloaded = false
    var isReading = false
    var isNewer = false
  }

  private let agent: SyncAgent
  private let state = Locked(State())

  init(_ agent: SyncAgent) { self.agent = agent }

  /// Adds a handler; what is returned ends it.
  func add(
    _ direction: SyncSession.ProgressDirection, isForWorkAtHand: Bool,
    _ handler: @escaping Handler
  ) async -> UUID? {
    guard let file = try? await agent.state() else { return nil }
    let id = UUID()
    let (done, all) = Self.bytes(file, direction)
    state.withLock { state in
      state.entries[id] = Entry(
        direction: direction, isForWorkAtHand: isForWorkAtHand, handler: handler, base: done,
        goal: all)
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

  /// Takes the progress that a message brought.
  func downloaded(_ progress: ServerMessage.Progress) {
    let isWatched = state.withLock { state in
      state.hasDownloaded = true
      if case .flexible(let version, _, .estimate(let estimate)) = progress, version > 0 {
        state.estimate = estimate
      }
      return !state.entries.isEmpty
    }
    if isWatched { read() }
  }

  /// Uploads grow with each commit.
  private func listen() {
    guard state.withLock({ $0.listener == nil }),
      let listener = try? agent.file.onNewVersion({ [weak self] _ in self?.read() })
    else { return }
    state.withLock { $0.listener = listener }
  }

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
        if let file = try? await agent.state() { tell(file) }
        let goesOn = state.withLock { state in
          assert(state.isReading, "one task reads at a time")
          defer { state.isNewer = false }
          state.isReading = state.isNewer
          return state.isNewer
        }
        if !goesOn { return }
      }
    }
  }

  private func tell(_ file: FileState) {
    let calls = state.withLock { state -> [(Handler, TransferProgress)] in
      guard state.hasDownloaded else { return [] }
      var calls: [(Handler, TransferProgress)] = []
      for (id, var entry) in state.entries {
        let (done, all) = Self.bytes(file, entry.direction)
        let goal = entry.isForWorkAtHand ? entry.goal : all
        var estimate =
          goal <= entry.base ? 1 : Double(done - entry.base) / Double(goal - entry.base)
        if entry.direction == .download, let known = state.estimate { estimate = known }
        estimate = min(max(estimate, 0), 1)
        let isComplete = estimate >= 1
        if isComplete { entry.base = done }
        state.entries[id] = isComplete && entry.isForWorkAtHand ? nil : entry
        calls.append(
          (
            entry.handler,
            TransferProgress(
              transferred: min(done, goal), transferable: goal, estimate: estimate)
          ))
      }
      return calls
    }
    for (handler, progress) in calls { handler(progress) }
  }

  /// The bytes that are transferred, and all that are to be.
  private static func bytes(
    _ file: FileState, _ direction: SyncSession.ProgressDirection
  ) -> (done: Int, all: Int) {
    switch direction {
    case .upload: (file.uploadedByteCount, max(file.uploadedByteCount, file.uploadableByteCount))
    case .download:
      (file.downloadedByteCount, file.downloadedByteCount + file.downloadableByteCount)
    }
  }
}
#endif
