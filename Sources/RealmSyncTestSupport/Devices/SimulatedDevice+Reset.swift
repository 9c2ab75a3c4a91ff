// SPDX-License-Identifier: Apache-2.0

// The resets of a simulated device, as the session of an app carries them out: the steps of
// `SyncSessionCore`, `SyncResetTask` and `AutomaticReset`, each when a `SyncNetwork` takes it.

import RealmReplication
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmTables

extension SimulatedDevice {
  /// Whether a reset is under way, or waits to be begun.
  package var isResetting: Bool { reset != nil || news.causes.withLock { !$0.isEmpty } }

  // MARK: The session

  /// Suspends the session, and a reset of its file.
  func suspend() {
    if let reset {
      reset.cancel()
      reset.resumesWhenOver = false
    }
    driver.send(.suspend(session: session))
  }

  /// Resumes the session. One whose file is being reset goes on by itself.
  func resume() {
    news.isDenied.withLock { $0 = false }
    if let reset { return reset.resumesWhenOver = true }
    driver.send(.resume(session: session))
  }

  // MARK: Steps

  /// Begins the next reset at the server's request, unless one is under way.
  func beginReset() async throws {
    let cause = news.causes.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    guard let cause, reset == nil else { return }
    resets.causes[cause.code.rawValue, default: 0] += 1
    guard let resetMode else { return leaveToProgram(nil, cause) }
    driver.send(.willReset(session: session))
    do throws(ResetError) {
      // A reset in vain is not begun.
      _ = try await agent.resetMode(resetMode, cause)
    } catch {
      return leaveToProgram(error, cause)
    }
    let state = try await agent.state()
    let subscriptions = version.mode == .flexible ? try await agent.activeSubscriptions() : nil
    let reset = SimulatedReset(resetMode, cause)
    self.reset = reset
    reset.begin(
      FreshCopyDownload(
        copy.place, driver, settings, oldIdent: state.ident, subscriptions: subscriptions),
      on: executor)
  }

  /// Resets the file to its complete copy, or ends a failed reset.
  ///
  /// - Returns: The disk at the time when the program is to be killed; nil if it goes on.
  func endReset() async throws -> Disk? {
    guard let reset, let end = reset.end else { return nil }
    let wished = reset.resumesWhenOver
    do throws(ResetError) {
      let fresh = try end.get()
      let mode = try await agent.resetMode(reset.wanted, reset.cause)
      do {
        if let disk = try await carryOut(mode, reset.cause, to: fresh) { return disk }
      } catch let error as ResetError {
        throw error
      } catch {
        news.add("\(error)")
      }
      self.reset = nil
      copy.remove()
      driver.send(.didReset(session: session))
      startWatch()
      if wished { resume() }
    } catch {
      self.reset = nil
      guard error == .cancelled else {
        leaveToProgram(error, reset.cause)
        return nil
      }
      resets.interrupted += 1
      if wished { resume() }
    }
    return nil
  }

  private func carryOut(
    _ mode: ResetMode, _ cause: ResetCause, to fresh: DatabaseFile
  ) async throws -> Disk? {
    try willReset()
    var outcome: ClientReset.Outcome?
    isCommittingReset = true
    defer { isCommittingReset = false }
    let disk = try await interrupting(file) {
      outcome = try await self.agent.reset(to: fresh, mode, cause)
    }
    if disk != nil { return disk }
    guard let outcome else { return nil }
    try findReset()
    if outcome.hasRecovered {
      resets.recovered += 1
      resets.recoveredChanges += written.count
    } else {
      resets.discarded += 1
    }
    for problem in try recoveries.problems(outcome, file, fresh) {
      news.add("a reset (\(mode)): \(problem)")
    }
    return nil
  }

  /// Lets the program put the file aside, as an automatic reset is impossible or not wanted.
  private func leaveToProgram(_ error: ResetError?, _ cause: ResetCause) {
    resets.failures.append(.init(error: error, mayRecover: cause.mayRecover))
    needsNewFile = true
  }

  // MARK: The end of a reset

  /// Waits until everything was uploaded and then downloaded since a reset, if one was.
  func watchForEndOfReset() async throws {
    if try await agent.hasResetRecord() { startWatch() }
  }

  private func startWatch() { resetWatch = .upload(wait(for: .upload)) }

  /// Whether the wait of a reset is over.
  var isWatchDue: Bool {
    switch resetWatch {
    case .upload(let id)?, .download(let id)?: news.end(of: id) != nil
    case nil: false
    }
  }

  /// Goes on after the wait of a reset.
  func proceedWithWatch() async throws {
    switch resetWatch {
    case .upload(let id)?:
      resetWatch = news.end(of: id) == .done ? .download(wait(for: .download)) : nil
    case .download(let id)?:
      resetWatch = nil
      if news.end(of: id) == .done { try await agent.removeResetRecord() }
    case nil: return
    }
  }

  // MARK: Reports

  /// Hears of the refused writes that an earlier program has not heard of.
  func hearKeptReports() async throws {
    for document in try await agent.keptReports().due {
      if let report = document.compensatingWrite { news.hear(report) }
    }
    try await forgetHeardReports()
  }

  /// Lets the file forget the reports that the program has.
  func forgetHeardReports() async throws {
    for version in news.takeHeardVersions() { try await agent.removeReport(version) }
  }

  // MARK: Identifiers

  /// Notes the acknowledged versions of the file before its reset.
  func willReset() throws {
    let state = try state()
    identityBeforeReset = DeviceFileIdentity(state)
    acknowledgedBeforeReset = written.filter { $0 <= state.cursors.upload.clientVersion }
  }

  /// Notes the new identity of the file, if its reset is done.
  func findReset() throws {
    if isResetCommitted {
      noteUploads()
      written = try uploadableVersions()
    }
    identityBeforeReset = nil
  }

  /// Whether the file has its new identity.
  package var isResetCommitted: Bool {
    guard let old = identityBeforeReset, let state = try? state() else { return false }
    return DeviceFileIdentity(state) != old
  }

  /// Notes the versions of the old identifier at the server.
  func noteUploads() {
    guard let old = identityBeforeReset else { return }
    identityBeforeReset = nil
    news.forgetReports()
    if old.ident == .own { return }
    let last = restoredVersions[old.ident] ?? .max
    acknowledged[old.ident] = acknowledgedBeforeReset.filter { $0 <= last }
  }

  /// The versions of the file with something to upload.
  func uploadableVersions() throws -> [UInt64] {
    guard let history = try history() else { return [] }
    var versions: [UInt64] = []
    var cursor = history.heads(after: history.progress.upload.clientVersion)
    while let head = try cursor.next() {
      if head.isUploadable { versions.append(head.version) }
    }
    return versions
  }
}
