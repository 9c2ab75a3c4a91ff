// SPDX-License-Identifier: Apache-2.0

// The custom data of the users of an app: the operator's, or a class of the app's own data.

package import RealmFormats
import RealmStorage
import RealmSyncProtocol

/// Finds the custom data of users.
package final class UserDocuments: CustomDataSource {
  private let app: String
  private let realms: RealmDirectory
  private let state: Locked<CustomUserData?>
  /// Keeps the realm open, whose news are those of the users.
  private let held = Locked<RealmDirectory.OpenRealm?>(nil)

  /// - Parameter source: The class; nil if the operator gives the data.
  package init(app: String, _ source: CustomUserData?, in realms: RealmDirectory) {
    self.app = app
    self.realms = realms
    state = Locked(source)
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
    return try await open(source).customData(of: user, source)
  }

  private func open(_ source: CustomUserData) async throws(StoreError) -> ServerRealm {
    let opened = try await realms.openReader(realm(of: source))
    held.withLock { $0 = opened }
    return opened.realm
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
          users = try await open(source)
            .changedUsers(in: first..<head.version + 1, source)
        } catch {
          report(error)
        }
      }
      if users?.isEmpty != true { _ = await rules.recheck(users: users) }
    }
  }
}

/// Follows the class with the custom data of an app's users, as long as it lives.
package final class CustomDataWatch: Sendable {
  private let task: Task<Void, Never>

  /// - Parameters:
  ///   - heads: The new versions of the app's realms.
  ///   - report: Takes the errors of the store.
  package init(
    _ documents: UserDocuments, _ rules: CurrentRules, heads: AsyncStream<RealmHead>,
    report: @escaping @Sendable (StoreError) -> Void
  ) {
    task = Task { await documents.follow(heads, rules, report: report) }
  }

  deinit { task.cancel() }
}
