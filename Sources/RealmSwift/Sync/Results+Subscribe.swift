// SPDX-License-Identifier: Apache-2.0

// Subscribing to the query of results.

#if Sync
public import Foundation
import RealmQuery
import RealmSession
import RealmStorage
import RealmSyncProtocol

/// Whether `Results.subscribe(name:waitForSync:timeout:)` waits for the server.
public enum WaitForSyncMode: Sendable {
  /// Waits if the subscription is new.
  case onCreation
  /// Waits each time.
  case always
  /// Does not wait.
  case never
}

extension Results where Element: Object {
  /// Subscribes to the objects of the results, so the realm has them.
  ///
  /// ```swift
  /// let todos = try await realm.objects(Todo.self).where { $0.owner == "Ann" }.subscribe()
  /// ```
  ///
  /// Results that are not just filtered (by a link, a list, an order or a limit) cannot be
  /// subscribed to, and trap. Only for realms of the main actor and of actors.
  ///
  /// After a wait the realm shows the newest version, with the objects.
  ///
  /// - Parameters:
  ///   - name: The name of the subscription; one of another query with the name is replaced. With
  ///     nil it has no name, and named subscriptions of the query are others.
  ///   - waitForSync: When to wait until the objects are here.
  ///   - timeout: The longest time to wait, in seconds.
  /// - Throws: `Realm.Error.subscriptionFailed`, `SyncError`, a POSIX error ETIMEDOUT, or
  ///   `CancellationError`.
  /// - Returns: The results.
  @discardableResult
  public func subscribe(
    name: String? = nil, waitForSync: WaitForSyncMode = .onCreation, timeout: TimeInterval? = nil,
    _isolation actor: isolated any Actor = #isolation
  ) async throws -> Results<Element> {
    guard let realm else {
      throwRealmException("Only results of a Realm can be subscribed to.")
    }
    realm.core.requireActor("`subscribe`")
    let (className, query) = subscriptionQuery
    let set = realm.subscriptions
    let isNew = set.subscribe(name, className, query)
    state.subscription = name
    guard waitForSync == .always || waitForSync == .onCreation && isNew else { return self }
    let (version, core, shared) = (set.version, set.core, set.shared)
    try await SyncSubscriptionSet.waiting(atMost: timeout) {
      try await SyncSubscriptionSet.waitUntilComplete(version, core, shared)
      // A known subscription also has the newest changes of the server.
      if !isNew { try await core.wait(for: .download) }
    }
    realm.refresh()
    return self
  }

  /// Ends the subscription made by `subscribe(name:)` of these results, or else the unnamed one
  /// with their query; nothing happens if there is none.
  public func unsubscribe() {
    guard let realm else { return }
    let (className, query) = subscriptionQuery
    realm.subscriptions.unsubscribe(state.subscription, className, query)
    state.subscription = nil
  }

  /// The class and the text of the query.
  private var subscriptionQuery: (String, String) {
    guard case .table = state.source, state.query.steps.isEmpty else {
      throwRealmException(
        "Only results of all objects of a class, or of those that match a condition, can be "
          + "subscribed to.")
    }
    // Only dynamic objects have classes of the file alone.
    let schema = state.info?.schema ?? ModelSchema.of(Element.self)
    let text = state.written.map { SubscriptionText.text($0, schema) }
    return (schema.className, text ?? SubscriptionText.all)
  }
}
#endif
