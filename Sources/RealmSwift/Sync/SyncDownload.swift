// SPDX-License-Identifier: Apache-2.0

// Waits for a server's data before a realm is opened (P5 8).

import Foundation
import RealmSession
import RealmStorage
import RealmSync
import RealmSyncProtocol

/// The wait of an asynchronous open.
enum SyncDownload {
  /// Opens the file of a synchronised realm, and waits until it has what the server had, and what
  /// its first subscriptions ask for.
  ///
  /// - Parameter reporting: Takes the progress of the download.
  /// - Returns: What keeps the file open; nil if there is nothing to wait for.
  static func completed(
    _ configuration: Realm.Configuration, _ behavior: Realm.OpenBehavior,
    reporting handler: (@Sendable (SyncSession.Progress) -> Void)? = nil
  ) async throws -> SharedFile? {
    guard let sync = configuration.syncConfiguration else { return nil }
    switch behavior {
    case .never: return nil
    case .once where FileManager.default.fileExists(atPath: configuration.location.path):
      return nil
    case .once, .always: break
    }
    let shared = try await opening { try RealmOpener(configuration).openSynchronised() }
    guard let core = shared.kept(SyncAttachment.self)?.core else { return shared }
    let id: UUID? =
      if let handler { await core.progress.add(.download, isForWorkAtHand: true, handler) } else {
        nil
      }
    defer { if let id { core.progress.remove(id) } }
    try await core.wait(for: .download)
    guard sync.isFlexible else { return shared }
    try await opening { try RealmOpener(configuration).synchronise(shared) }
    try await SubscriptionWait.untilNewestIsComplete(core, shared)
    return shared
  }

  /// Runs a block on the queue where files are opened.
  private static func opening<R: Sendable>(
    _ body: @escaping @Sendable () throws -> R
  ) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
      RealmCore.openingQueue.async { continuation.resume(with: Result(catching: body)) }
    }
  }
}
