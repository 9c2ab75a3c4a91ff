// SPDX-License-Identifier: Apache-2.0

// Waits for a server's data before a realm is opened (P5 8).

#if Sync
import Foundation
import RealmSession
import RealmStorage
import RealmSync
import RealmSyncProtocol

extension SyncConfiguration {
  /// Opens the file of a synchronised realm, and waits until it has the server's data, and the
  /// objects of its first subscriptions.
  func download(
    _ configuration: Realm.Configuration, _ behavior: Realm.OpenBehavior,
    reporting handler: (@Sendable (TransferProgress) -> Void)?
  ) async throws -> SharedFile? {
    switch behavior {
    case .never: return nil
    case .once where FileManager.default.fileExists(atPath: configuration.location.path):
      return nil
    case .once, .always: break
    }
    let shared = try await opening { try open(configuration) }
    guard let core = shared.kept(SyncAttachment.self)?.core else { return shared }
    // Handlers hear of all that is downloaded before the realm is there.
    let id = handler.flatMap { core.progress.add(.download, isForWorkAtHand: false, $0) }
    defer { if let id { core.progress.remove(id) } }
    core.resumeIfSuspended()
    let isStrict = cancelAsyncOpenOnNonFatalErrors
    try await core.wait(for: .download, isStrict: isStrict)
    guard isFlexible else { return shared }
    try await opening { try begin(shared, configuration) }
    try await SyncSubscriptionSet.waitUntilNewestIsComplete(core, shared, isStrict: isStrict)
    await core.progress.flush(hasDownloaded: true)
    return shared
  }

  /// Runs a block on the queue where files are opened.
  private func opening<R: Sendable>(
    _ body: @escaping @Sendable () throws -> R
  ) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
      RealmCore.openingQueue.async { continuation.resume(with: Result(catching: body)) }
    }
  }

  /// Opens the file and begins to synchronise it, before any realm shows it.
  private func open(_ configuration: Realm.Configuration) throws(Realm.Error) -> SharedFile {
    do {
      let opener = RealmOpener(configuration)
      checkOptions(of: configuration)
      try RealmCache.requireOwnProcess(configuration)
      try RealmCache.requireSameOptions(configuration)
      try opener.makeDirectory()
      let shared = try opener.shared(opener.file())
      try enterSession(shared, configuration)
      return shared
    } catch let error as StorageError {
      throw Realm.Error(error, path: configuration.location.path)
    } catch let error as Realm.Error {
      throw error
    } catch {
      throw Realm.Error(.fail, message: "\(error)", path: configuration.location.path)
    }
  }
}
#endif
