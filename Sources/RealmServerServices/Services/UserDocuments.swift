// SPDX-License-Identifier: Apache-2.0

// The custom data of the users of an app: the operator's, or a class of the app's own data.
//
// Invariants:
// 1. Once a realm with custom data was read it stays open, so that its news come: when it is closed
//    all the same, it is opened again, and what changed meanwhile counts.

#if Server
package import RealmFormats
package import RealmServerEngine
import RealmStorage
package import RealmSyncProtocol

/// Finds the custom data of users.
package final class UserDocuments: CustomDataSource {
  private let app: String
  private let realms: RealmDirectory
  private let state: Locked<CustomUserData?>
  /// Keeps the realm open, whose news are those of the users.
  private let held = Locked<RealmDirectory.OpenRealm?>(nil)
  /// The times when the realm was closed.
  private let closings: AsyncStream<Void>
  private let closing: AsyncStream<Void>.Continuation

  /// - Parameter source: The class; nil if the operator gives the data.
  package init(app: String, _ source: CustomUserData?, in realms: RealmDirectory) {
    self.app = app
    self.realms = realms
    state = Locked(source)
    (closings, closing) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// The class with the data; nil if users have the operator's.
  package var source: CustomUserData? {
    get { state.withLock { $0 } }
    set {
      state.withLock { $0 = newValue }
      if newValue == nil { held.withLock { $0 = nil } }
    }
  }

  package func data(
    of user: String, given: BSONValue?
  ) async throws(StoreError) -> BSONValue? {
    guard let source else { return given }
    return try await read(source) { (realm) async throws(StoreError) in
      try await realm.customData(of: user, source)
    }
  }

  /// Reads the realm, which is opened again if it was closed meanwhile.
  private func read<R: Sendable>(
    _ source: CustomUserData, _ body: (ServerRealm) async throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    let realm = try await open(source)
    do throws(StoreError) {
      return try await body(realm)
    } catch {
      guard error.needsReopening else { throw error }
    }
    await realms.retire(self.realm(of: source), realm)
    return try await body(try await open(source))
  }

  private func open(_ source: CustomUserData) async throws(StoreError) -> ServerRealm {
    let opened = try await realms.openReader(realm(of: source))
    held.withLock { $0 = opened }
    opened.whenClosed { [weak self, realm = opened.realm] isEnd in
      if !isEnd { self?.didClose(realm) }
    }
    return opened.realm
  }

  private func didClose(_ realm: ServerRealm) {
    let isHeld = held.withLock { held in
      guard held?.realm === realm else { return false }
      held = nil
      return true
    }
    if isHeld { closing.yield() }
  }

  private func realm(of source: CustomUserData) -> RealmName {
    RealmName(app: app, partition: source.partition)
  }

  // MARK: Changes

  /// Ends sessions whose users have other rights as their data changes, until the stream ends.
  ///
  /// - Parameters:
  ///   - heads: The new versions of realms.
  ///   - report: Takes the errors of the store; the sessions are asked all the same.
  fileprivate func follow(
    _ heads: AsyncStream<RealmHead>, _ rules: CurrentRules,
    report: @Sendable (StoreError) -> Void
  ) async {
    var known: (source: CustomUserData, version: UInt64)?
    for await head in heads {
      guard let source, head.realm == realm(of: source).fileID else { continue }
      let first = known.flatMap { $0.source == source ? $0.version + 1 : nil }
      if let first, first > head.version { continue }
      known = (source, head.version)
      var users: Set<String>?
      if let first {
        do throws(StoreError) {
          users = try await read(source) { (realm) async throws(StoreError) in
            try await realm.changedUsers(in: first..<head.version + 1, source)
          }
        } catch {
          report(error)
        }
      }
      if users?.isEmpty != true { _ = await rules.recheck(users: users) }
    }
  }

  /// Opens the realm again whenever it was closed, until the stream ends. Sessions are asked for
  /// their rights then, as news may be missing.
  fileprivate func reopen(
    _ rules: CurrentRules, _ timer: SyncClock, report: @Sendable (StoreError) -> Void
  ) async {
    for await _ in closings {
      while !Task.isCancelled, let source {
        do throws(StoreError) {
          _ = try await open(source)
          break
        } catch {
          report(error)
          try? await timer.sleep(timer.now() + 1_000)
        }
      }
      guard !Task.isCancelled else { return }
      _ = await rules.recheck()
    }
  }
}

/// Follows the class with the custom data of an app's users, as long as it lives.
package final class CustomDataWatch: Sendable {
  private let tasks: [Task<Void, Never>]

  /// - Parameters:
  ///   - heads: The new versions of the app's realms.
  ///   - timer: The time between attempts to open the realm again.
  ///   - report: Takes the errors of the store.
  package init(
    _ documents: UserDocuments, _ rules: CurrentRules, heads: AsyncStream<RealmHead>,
    timer: SyncClock = .continuous, report: @escaping @Sendable (StoreError) -> Void
  ) {
    tasks = [
      Task { await documents.follow(heads, rules, report: report) },
      Task { await documents.reopen(rules, timer, report: report) },
    ]
  }

  deinit { for task in tasks { task.cancel() } }
}
#endif
