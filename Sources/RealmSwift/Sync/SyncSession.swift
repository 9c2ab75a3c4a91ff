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
/// closed and everything is uploaded. Keeping the value does not keep the file open.
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

  /// The state of the connection of a session.
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
    /// Until the end of the transfer at hand when the handler is added.
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

    /// The transferred bytes.
    @available(*, deprecated, renamed: "progressEstimate")
    public var transferredBytes: Int { transferred }

    /// The bytes to be transferred, with the transferred ones.
    @available(*, deprecated, renamed: "progressEstimate")
    public var transferrableBytes: Int { transferable }

    /// How much is transferred, from 0 to 1.
    @available(*, deprecated, renamed: "progressEstimate")
    public var fractionTransferred: Double { progressEstimate }
  }

  /// Ends the calls of a progress handler.
  public final class ProgressNotificationToken: Sendable {
    private weak let reporter: SyncProgressReporter?
    private let id: UUID

    init(_ reporter: SyncProgressReporter, _ id: UUID) {
      self.reporter = reporter
      self.id = id
    }

    /// Ends the calls; one that is under way may still be made.
    public func invalidate() { reporter?.remove(id) }
  }

  /// The session of the open file; nil once it has ended.
  weak let core: SyncSessionCore?
  private let identity: SyncSessionCore.Identity
  private let settings: SyncConfiguration

  init(_ core: SyncSessionCore) {
    self.core = core
    identity = core.identity
    settings = core.configuration
  }

  /// Whether it synchronises.
  public var state: State {
    core?.publicState ?? (settings.user.isLoggedIn ? .inactive : .invalid)
  }

  /// The state of its connection; `.disconnected` also while the session is suspended, or an error
  /// keeps it from using the connection.
  public var connectionState: ConnectionState { core?.connectionState ?? .disconnected }

  /// Why the session does not get on at the moment: the error that ended it, or else what the next
  /// attempt may overcome, like a server that does not answer or whose disk is full. Nil if nothing
  /// hinders it.
  ///
  /// ```swift
  /// if let error = realm.syncSession?.currentError { show(error.message) }
  /// ```
  public var currentError: SyncError? { core?.currentError }

  /// The user of the session.
  public func parentUser() -> User? { settings.user }

  /// The configuration of the session; nil if its user is logged out.
  public func configuration() -> SyncConfiguration? {
    state == .invalid ? nil : settings
  }

  /// Stops synchronising until `resume()`, or until a realm of the file is opened and waits for the
  /// server's data.
  public func suspend() { core?.suspend() }

  /// Goes on to synchronise, after `suspend()` or an error.
  public func resume() { core?.resume() }

  /// Tries to connect at once, if the session waits for its next attempt.
  public func reconnect() { core?.reconnect() }

  /// Carries out at once what is decided about a file, and would be done at the program's next
  /// start; the error that brought the token says what that is.
  ///
  /// The file is moved or deleted before the call returns if no realm of it is open any more, and
  /// otherwise as soon as the last one is closed.
  public static func immediatelyHandleError(_ token: SyncError.ActionToken) {
    guard let app = token.app else { return }
    PendingFileActions(client: app.client).carryOutNow(token.action)
  }

  /// Calls a block with the progress of transfers, on a thread of the library.
  ///
  /// - Returns: A token to end the calls; they end with the session otherwise.
  @discardableResult
  public func addProgressNotification(
    for direction: ProgressDirection, mode: ProgressMode,
    block: @escaping @Sendable (Progress) -> Void
  ) -> ProgressNotificationToken? {
    guard let reporter = core?.progress else { return nil }
    let id = reporter.add(direction, isForWorkAtHand: mode == .forCurrentlyOutstandingWork) {
      block(Progress($0))
    }
    return id.map { ProgressNotificationToken(reporter, $0) }
  }

  /// Waits until everything there is now is uploaded or downloaded, and progress handlers have
  /// heard of it. A suspended session is waited for until it is resumed.
  ///
  /// - Throws: `SyncError`, or `CancellationError` if the task is cancelled.
  public func wait(for direction: ProgressDirection) async throws {
    guard let core else { throw SyncError(.clientSessionError, "The session has ended.") }
    try await core.wait(for: direction == .upload ? .upload : .download)
  }

  /// Calls a block when everything there is now is uploaded or downloaded, or cannot be.
  ///
  /// - Parameters:
  ///   - direction: The direction to wait for.
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
    left.identity === right.identity
  }
}

extension Realm {
  /// The session of a synchronised realm; nil for others. It may be read on any thread.
  public var syncSession: SyncSession? {
    core.shared.kept(SyncAttachment.self).map { SyncSession($0.core) }
  }
}
#endif
