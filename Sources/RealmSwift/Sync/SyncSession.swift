// SPDX-License-Identifier: Apache-2.0

// `SyncSession`: the synchronisation of a realm, as programs see it.

#if Sync
public import Dispatch
import Foundation
import RealmSession
import RealmSync
import RealmSyncProtocol

/// The synchronisation of a realm's file with the server.
///
/// Thread-safe. It begins when the first realm of a file is opened, and ends when the last one is
/// closed and everything is uploaded.
public final class SyncSession: Sendable {
  /// Whether the session synchronises.
  public enum State: UInt, Sendable {
    /// It synchronises, or tries to.
    case active
    /// The program suspended it, or an error ended it.
    case inactive
    /// Its user is logged out.
    case invalid
  }

  /// The state of the connection that the session uses.
  public enum ConnectionState: UInt, Sendable {
    /// There is no connection.
    case disconnected
    /// A connection is being made.
    case connecting
    /// The connection is open.
    case connected
  }

  /// The direction of a transfer.
  public enum ProgressDirection: UInt, Sendable {
    /// From this device to the server.
    case upload
    /// From the server to this device.
    case download
  }

  /// How long progress is reported to a handler.
  public enum ProgressMode: Sendable {
    /// Until its token is invalidated.
    case reportIndefinitely
    /// Until what is to be transferred at the registration is.
    case forCurrentlyOutstandingWork
  }

  /// How far a transfer is.
  public struct Progress: Sendable {
    private let transferred: Int
    private let transferable: Int
    /// How much is transferred: 0 for nothing, 1 for all.
    public let progressEstimate: Double

    init(_ progress: TransferProgress) {
      transferred = progress.transferred
      transferable = progress.transferable
      progressEstimate = progress.estimate
    }

    /// Whether everything is transferred.
    public var isTransferComplete: Bool { progressEstimate >= 1 }

    /// The bytes that were transferred.
    @available(*, deprecated, renamed: "progressEstimate")
    public var transferredBytes: Int { transferred }

    /// The bytes to be transferred, those that were included.
    @available(*, deprecated, renamed: "progressEstimate")
    public var transferrableBytes: Int { transferable }

    /// How much is transferred, from 0 to 1.
    @available(*, deprecated, renamed: "progressEstimate")
    public var fractionTransferred: Double { progressEstimate }
  }

  /// Ends the calls of a progress handler.
  public final class ProgressNotificationToken: Sendable {
    private let reporter: SyncProgressReporter
    private let id: Task<UUID?, Never>

    init(_ reporter: SyncProgressReporter, _ id: Task<UUID?, Never>) {
      self.reporter = reporter
      self.id = id
    }

    /// Ends the calls; one that is under way may still be made.
    public func invalidate() {
      Task { [reporter, id] in
        if let id = await id.value { reporter.remove(id) }
      }
    }
  }

  let core: SyncSessionCore

  init(_ core: SyncSessionCore) { self.core = core }

  /// Whether it synchronises.
  public var state: State { core.publicState }

  /// The state of its connection.
  public var connectionState: ConnectionState { core.connectionState }

  /// Why the session does not get on at the moment: the error that ended it, or else what the next
  /// attempt may overcome, like a server that does not answer or whose disk is full. Nil if nothing
  /// hinders it.
  ///
  /// ```swift
  /// if let error = realm.syncSession?.currentError { show(error.message) }
  /// ```
  public var currentError: SyncError? { core.currentError }

  /// The user of the session.
  public func parentUser() -> User? { core.configuration.user }

  /// The configuration of the session; nil if its user is logged out.
  public func configuration() -> SyncConfiguration? {
    state == .invalid ? nil : core.configuration
  }

  /// Stops synchronising until `resume()`.
  public func suspend() { core.suspend() }

  /// Goes on to synchronise, after `suspend()` or an error.
  public func resume() { core.resume() }

  /// Tries to connect at once, if the session waits for its next attempt.
  public func reconnect() { core.reconnect() }

  /// Carries out at once what is decided about a file, and would be done at the program's next
  /// start; the error that brought the token says what that is.
  ///
  /// The file is moved or deleted when no realm of it is open any more.
  public static func immediatelyHandleError(_ token: SyncError.ActionToken) {
    guard let app = token.app else { return }
    PendingFileActions(client: app.client).carryOutSoon(token.action)
  }

  /// Calls a block with the progress of transfers, on a thread of the library.
  ///
  /// - Returns: What ends the calls; the block is called as long as the session exists otherwise.
  @discardableResult
  public func addProgressNotification(
    for direction: ProgressDirection, mode: ProgressMode,
    block: @escaping @Sendable (Progress) -> Void
  ) -> ProgressNotificationToken? {
    let reporter = core.progress
    return ProgressNotificationToken(
      reporter,
      Task {
        await reporter.add(
          direction, isForWorkAtHand: mode == .forCurrentlyOutstandingWork
        ) { block(Progress($0)) }
      })
  }

  /// Waits until everything that is there now is uploaded or downloaded.
  ///
  /// - Throws: `SyncError`, or `CancellationError` if the task is cancelled.
  public func wait(for direction: ProgressDirection) async throws {
    try await core.wait(for: direction == .upload ? .upload : .download)
  }

  /// Calls a block when everything that is there now is uploaded or downloaded, or cannot be.
  ///
  /// - Parameters:
  ///   - direction: What is waited for.
  ///   - queue: Where the block is called; nil for a thread of the library.
  ///   - block: Called once.
  public func wait(
    for direction: ProgressDirection, queue: DispatchQueue? = nil,
    block: @escaping @Sendable ((any Error)?) -> Void
  ) {
    complete({ error in
      guard let queue else { return block(error) }
      queue.async { block(error) }
    }) { try await self.wait(for: direction) }
  }
}

extension SyncSession: Equatable {
  /// Whether both are the session of one file.
  public static func == (left: SyncSession, right: SyncSession) -> Bool {
    left.core === right.core
  }
}

extension Realm {
  /// The session of a synchronised realm; nil for others. It may be read on any thread.
  public var syncSession: SyncSession? {
    core.shared.kept(SyncAttachment.self).map { SyncSession($0.core) }
  }
}
#endif
