// SPDX-License-Identifier: Apache-2.0

// What a session does with a file that the server cannot go on with.

#if Sync
import Foundation
import RealmStorage
import RealmSync
import RealmSyncProtocol

extension SyncSessionCore {
  /// The right to delete the file.
  var deletionToken: SyncError.ActionToken {
    SyncError.ActionToken(
      action: FileAction(
        deleting: path, partition: configuration.partition ?? "", user: configuration.user.id),
      app: configuration.user.app)
  }

  /// Stores what is to become of the file at the next start.
  func stored(_ action: FileAction) async -> FileAction {
    do throws(StorageError) {
      return try await configuration.user.app.client.store(action)
    } catch {
      log(.error, "What is decided about '\(path)' cannot be stored: \(error)")
      return action
    }
  }

  /// The server asks for a reset of the file. One that waits for its adoption is adopted, in all
  /// modes.
  func reset(_ cause: ResetCause) {
    let adopts = (try? agent.waitsForAdoption()) ?? false
    if adopts {
      let blocks = configuration.clientResetMode.automatic
      let reset = AutomaticReset(
        configuration: realmConfiguration, agent: agent, driver: driver, settings: settings,
        cause: cause, wanted: nil, before: blocks?.before, after: blocks?.after)
      return begin(SyncResetTask(self, reset))
    }
    guard let (mode, before, after) = configuration.clientResetMode.automatic else {
      // The program may close the realm in its handler: nothing here may keep the file open then.
      Task { [weak self] in
        let report = await self?.manualReset(cause, cause.document.message)
        report?()
      }
      return
    }
    let reset = AutomaticReset(
      configuration: realmConfiguration, agent: agent, driver: driver, settings: settings,
      cause: cause, wanted: mode, before: before, after: after)
    begin(SyncResetTask(self, reset))
  }

  /// Ends the session for a reset that the program decides about. The file is put aside at the next
  /// start.
  ///
  /// - Returns: Reports it to the program.
  func manualReset(_ cause: ResetCause, _ message: String) async -> @Sendable () -> Void {
    let app = configuration.user.app
    let action = FileAction(
      movingFrom: path, to: PendingFileActions.backupPath(app.paths),
      partition: configuration.partition ?? "", user: configuration.user.id)
    let error = SyncError(
      .clientResetError, message, serverLogURL: URL(string: cause.document.logURL),
      protocolCode: cause.code.rawValue,
      token: SyncError.ActionToken(action: await stored(action), app: app))
    end(error)
    let session = SyncSession(self)
    if case .manual(let handler?) = configuration.clientResetMode {
      return { handler(error, session) }
    }
    return { app.syncManager.report(error, session) }
  }

  /// Reports an adoption that did not succeed. The file stays as it is, and is adopted when the
  /// session is resumed, or at the next start.
  func failAdoption(_ cause: ResetCause, _ error: ResetError) {
    failed(
      SyncError(
        .clientSessionError,
        "The file '\(path)' of a former service could not be adopted: \(error)",
        serverLogURL: URL(string: cause.document.logURL), protocolCode: cause.code.rawValue),
      isFatal: true)
  }

  /// Lets the session go on with a file that was reset.
  func goOnAfterReset() {
    driver.send(.didReset(session: session))
    watchForEndOfReset(isNew: true)
  }

  /// Calls the block after a reset whose process ended before it was called, with the realm as it
  /// is in both places: what it was before is gone.
  func announceEarlierReset() {
    guard (try? agent.hasUnannouncedReset()) ?? false else { return }
    Task { [weak self, agent] in
      guard let self else { return }
      do {
        if let after = configuration.clientResetMode.automatic?.after {
          try await ResetBlocks(configuration: realmConfiguration, path: path)
            .show(agent.file.snapshot(), after)
        }
        try await agent.resetIsAnnounced()
      } catch {
        log(.error, "The block after a reset of '\(path)' is not called: \(error)")
      }
    }
  }

  /// Waits until everything was uploaded and then downloaded since a reset: then it has succeeded.
  ///
  /// - Parameter isNew: Whether a reset has just been; otherwise it is looked for.
  func watchForEndOfReset(isNew: Bool) {
    Task { [weak self, agent] in
      do {
        if !isNew, try await !agent.hasResetRecord() { return }
        try await self?.wait(for: .upload)
        try await self?.wait(for: .download)
        try await agent.removeResetRecord()
      } catch {
        // The next session looks again.
        self?.log(.detail, "A reset of '\(agent.file.path)' is not complete: \(error)")
      }
    }
  }
}
#endif
