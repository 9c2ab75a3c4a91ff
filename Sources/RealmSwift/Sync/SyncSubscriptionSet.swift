// SPDX-License-Identifier: Apache-2.0

// The subscriptions of a realm, and how they are changed.

#if Sync
import Dispatch
public import Foundation
import RealmSession
import RealmStorage
import RealmSync
import RealmTables

/// The subscriptions of a synchronised realm: they decide which objects it has.
///
/// ```swift
/// try await realm.subscriptions.update {
///   realm.subscriptions.append(QuerySubscription<Todo>(name: "mine") { $0.owner == "Ann" })
/// }
/// ```
///
/// The set shows the newest version of the subscriptions as of when it was read, or changed by
/// `update`. Confined to the realm that it is of.
public final class SyncSubscriptionSet {
  let core: SyncSessionCore
  let shared: SharedFile
  /// The realm; nil for the set of initial subscriptions.
  private weak let realm: RealmCore?
  private(set) var version: UInt64
  private var subscriptions: [StoredSubscription]
  private var isEditing = false

  init(_ core: SyncSessionCore, _ shared: SharedFile, realm: RealmCore? = nil) {
    self.core = core
    self.shared = shared
    self.realm = realm
    let newest = Self.newest(shared)
    version = newest?.version ?? 0
    subscriptions = newest?.subscriptions ?? []
  }

  /// A class of the realm, or of its configuration before there is a realm; nil if there is none.
  func schema(named name: String) -> ModelSchema? {
    if let schema = realm?.schema(named: name) { return schema }
    let classes = core.realmConfiguration.objectTypes ?? ModelClasses.defaultSchema()
    return classes.first { $0.className() == name }.map(ModelSchema.of)
  }

  private static func newest(_ shared: SharedFile) -> StoredSubscriptionSet? {
    orTrap(try StoredSubscriptionSet.newest(in: shared.newestTables()))
  }

  // MARK: Reading

  /// The number of subscriptions.
  public var count: Int { subscriptions.count }

  /// What has become of the set.
  public var state: SyncSubscriptionState {
    do throws(StorageError) {
      return try Self.state(of: version, in: shared)
    } catch { return .error(error) }
  }

  /// The subscription at a position, in the order in which they were added.
  public subscript(position: Int) -> SyncSubscription? {
    subscriptions.indices.contains(position)
      ? SyncSubscription(subscriptions[position], self) : nil
  }

  /// The subscription that was added first; nil if there is none.
  public var first: SyncSubscription? { self[0] }

  /// The subscription that was added last; nil if there is none.
  public var last: SyncSubscription? { self[count - 1] }

  /// The subscription of a name; nil if there is none.
  public func first(named name: String) -> SyncSubscription? {
    firstStored { $0.name == name }
  }

  /// A subscription with a query; nil if there is none.
  public func first<T: Object>(
    ofType type: T.Type, where query: (Query<T>) -> Query<Bool>
  ) -> SyncSubscription? {
    first(T.className(), SubscriptionText.text(query))
  }

  /// A subscription with a query; nil if there is none.
  public func first<T: Object>(
    ofType type: T.Type, where predicateFormat: String, _ args: Any...
  ) -> SyncSubscription? {
    first(T.className(), SubscriptionText.text(predicateFormat, args, of: T.self))
  }

  /// A subscription with a query; nil if there is none.
  public func first<T: Object>(
    ofType type: T.Type, where predicate: NSPredicate
  ) -> SyncSubscription? {
    first(T.className(), SubscriptionText.text(predicate, of: T.self))
  }

  private func first(_ className: String, _ query: String) -> SyncSubscription? {
    firstStored { $0.objectClass == className && $0.query == query }
  }

  private func firstStored(where matches: (StoredSubscription) -> Bool) -> SyncSubscription? {
    subscriptions.first(where: matches).map { SyncSubscription($0, self) }
  }

  // MARK: Results

  /// Adds a subscription, unless it is there. Returns whether it was not.
  func subscribe(_ name: String?, _ className: String, _ query: String) -> Bool {
    let isKnown = subscriptions.contains {
      $0.name == name && $0.objectClass == className && $0.query == query
    }
    if isKnown { return false }
    edit {
      if let name { remove(named: name) }
      append(name, className, query)
    }
    return true
  }

  /// Removes the subscription of a name, or else the unnamed ones with a query.
  func unsubscribe(_ name: String?, _ className: String, _ query: String) {
    let matches = { (known: StoredSubscription) in
      guard name == nil else { return known.name == name }
      return known.name == nil && known.objectClass == className && known.query == query
    }
    guard subscriptions.contains(where: matches) else { return }
    edit { remove(where: matches) }
  }

  // MARK: Changing

  /// Adds subscriptions. One that there is already changes nothing.
  ///
  /// Traps outside of a block of `update(_:onComplete:)`, and if another query has the name.
  public func append<T: Object>(_ subscriptions: QuerySubscription<T>...) {
    for subscription in subscriptions {
      append(subscription.name, subscription.className, subscription.query)
    }
  }

  private func append(_ name: String?, _ className: String, _ query: String) {
    requireEditing()
    let known = subscriptions.first { known in
      guard name == nil else { return known.name == name }
      return known.name == nil && known.objectClass == className && known.query == query
    }
    if let known {
      if known.objectClass == className, known.query == query { return }
      throwRealmException(
        "A subscription named '\(name ?? "")' already exists. If you meant to update the existing "
          + "subscription please use the `update` method.")
    }
    let id = ObjectId.generate()
    let now = Timestamp.now()
    subscriptions.append(
      StoredSubscription(
        id: Bytes12(high: id.high, low: id.low), createdAt: now, updatedAt: now, name: name,
        objectClass: className, query: query))
  }

  /// Removes subscriptions. Traps outside of a block of `update(_:onComplete:)`.
  public func remove(_ subscriptions: SyncSubscription...) {
    let ids = Set(subscriptions.map(\.stored.id))
    remove { ids.contains($0.id) }
  }

  /// Removes the subscription of a name, if there is one. Traps outside of a block of
  /// `update(_:onComplete:)`.
  public func remove(named name: String) { remove { $0.name == name } }

  /// Removes the subscriptions with a query. Traps outside of a block of `update(_:onComplete:)`.
  public func remove<T: Object>(
    ofType type: T.Type, _ query: (Query<T>) -> Query<Bool>
  ) {
    remove(T.className(), SubscriptionText.text(query))
  }

  /// Removes the subscriptions with a query. Traps outside of a block of `update(_:onComplete:)`.
  public func remove<T: Object>(
    ofType type: T.Type, where predicateFormat: String, _ args: Any...
  ) {
    remove(T.className(), SubscriptionText.text(predicateFormat, args, of: T.self))
  }

  /// Removes the subscriptions with a query. Traps outside of a block of `update(_:onComplete:)`.
  public func remove<T: Object>(ofType type: T.Type, where predicate: NSPredicate) {
    remove(T.className(), SubscriptionText.text(predicate, of: T.self))
  }

  private func remove(_ className: String, _ query: String) {
    remove { $0.objectClass == className && $0.query == query }
  }

  /// Removes all subscriptions, or those without a name. Traps outside of a block of
  /// `update(_:onComplete:)`.
  public func removeAll(unnamedOnly: Bool = false) {
    remove { !unnamedOnly || $0.name == nil }
  }

  /// Removes the subscriptions of a class. Traps outside of a block of `update(_:onComplete:)`.
  public func removeAll<T: Object>(ofType type: T.Type) {
    remove { $0.objectClass == T.className() }
  }

  private func remove(where matches: (StoredSubscription) -> Bool) {
    requireEditing()
    subscriptions.removeAll(where: matches)
  }

  func replace(_ subscription: StoredSubscription) {
    guard let index = subscriptions.firstIndex(where: { $0.id == subscription.id }) else { return }
    subscriptions[index] = subscription
  }

  /// Traps outside of a block of `update`.
  func requireEditing() {
    guard isEditing else {
      throwRealmException(
        "Can only add, remove, or update subscriptions within a write subscription block.")
    }
  }

  /// Changes the subscriptions in a block, and stores them as one set, which the server gets.
  ///
  /// Waits until no other transaction is open on the file, as a write transaction does. Traps in a
  /// block of another call, and in a write transaction of the realm.
  ///
  /// - Parameters:
  ///   - block: Adds, changes and removes subscriptions of this set.
  ///   - onComplete: Called once on the main queue, when the realm has all objects that match, or
  ///     with the error if the server refuses the set. It is called with an error as well if
  ///     another set takes the place of this one before.
  public func update(
    _ block: () -> Void, onComplete: (@Sendable ((any Error)?) -> Void)? = nil
  ) {
    edit(block)
    guard let onComplete else { return }
    let (version, core, shared) = (version, core, shared)
    complete({ error in DispatchQueue.main.async { onComplete(error) } }) {
      try await Self.waitUntilComplete(version, core, shared)
    }
  }

  /// Changes the subscriptions in a block, and waits until the realm has all objects that match,
  /// and shows them.
  ///
  /// - Throws: `Realm.Error.subscriptionFailed` if the server refuses the set, `SyncError`, or
  ///   `CancellationError` if the task is cancelled; the set is stored all the same.
  @MainActor
  public func update(_ block: () -> Void) async throws {
    edit(block)
    try await Self.waitUntilComplete(version, core, shared)
    orTrap(try realm?.refresh())
  }

  /// Changes the subscriptions in a block and stores them.
  func edit(_ block: () -> Void) {
    realm?.checkIsolation()
    if isEditing {
      throwRealmException(
        "Cannot initiate a write transaction on subscription set that is already being updated.")
    }
    if realm?.isInWrite == true {
      throwRealmException("Cannot update subscriptions in a write transaction of the Realm.")
    }
    orTrap(try store(changedBy: block))
  }

  private func store(changedBy block: () -> Void) throws(StorageError) {
    let group = try shared.tables(in: shared.file.beginWrite())
    do throws(StorageError) {
      // Another set may have been stored since this one was read.
      let newest = try StoredSubscriptionSet.newest(in: shared.tables(of: group.transaction.base))
      version = newest?.version ?? 0
      subscriptions = newest?.subscriptions ?? []
      isEditing = true
      block()
      isEditing = false
      let store = try SubscriptionStore.make(in: group)
      try store.add(version + 1, subscriptions)
      _ = try group.commit()
      version += 1
    } catch {
      isEditing = false
      group.rollback()
      throw error
    }
  }
}

// MARK: - Waiting for the server

extension SyncSubscriptionSet {
  /// The state of the set of a version.
  static func state(
    of version: UInt64, in shared: SharedFile
  ) throws(StorageError) -> SyncSubscriptionState {
    let sets = try StoredSubscriptionSet.all(in: shared.newestTables())
    if sets.contains(where: { $0.version > version && $0.state == .complete }) {
      return .superseded
    }
    guard let set = sets.first(where: { $0.version == version }) else {
      // A newer set has its objects, or a reset has removed this one.
      return sets.isEmpty ? .pending : .superseded
    }
    switch set.state {
    case .pending, .bootstrapping, .awaitingMark: return .pending
    case .complete: return .complete
    case .error:
      return .error(
        Realm.Error(
          .subscriptionFailed, message: set.error ?? "The server refused the subscriptions.",
          path: shared.file.path))
    }
  }

  /// Waits until the set of a version, or a newer one, is complete.
  ///
  /// - Parameter isStrict: Whether what hinders the session ends the wait, too.
  static func waitUntilComplete(
    _ version: UInt64, _ core: SyncSessionCore, _ shared: SharedFile, isStrict: Bool = false
  ) async throws {
    let (signals, signal) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let listener = try shared.file.onNewVersion { _ in signal.yield() }
    let id = core.observeFailure { signal.yield() }
    defer {
      listener.cancel()
      core.stopObserving(id)
    }
    signal.yield()
    for await _ in signals {
      switch try state(of: version, in: shared) {
      case .complete, .superseded: return
      case .error(let error): throw error
      case .pending: break
      }
      if let error = core.obstacle(isStrict) { throw error }
    }
    throw CancellationError()
  }

  /// Waits for something, but no longer than a time; without one, for ever.
  static func waiting(
    atMost timeout: TimeInterval?, _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    guard let timeout else { return try await body() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await body() }
      group.addTask {
        try await Task.sleep(for: .seconds(timeout))
        throw NSError(
          domain: NSPOSIXErrorDomain, code: Int(ETIMEDOUT),
          userInfo: [NSLocalizedDescriptionKey: "Waiting for update timed out after \(timeout) s."])
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// Waits until the newest set is complete.
  static func waitUntilNewestIsComplete(
    _ core: SyncSessionCore, _ shared: SharedFile, isStrict: Bool
  ) async throws {
    let newest = try StoredSubscriptionSet.newest(in: shared.newestTables())
    try await waitUntilComplete(newest?.version ?? 0, core, shared, isStrict: isStrict)
  }
}

extension Realm {
  /// The subscriptions of a synchronised realm.
  ///
  /// Traps for realms that are local, or have a partition.
  public var subscriptions: SyncSubscriptionSet {
    core.checkIsolation()
    guard let attachment = core.shared.kept(SyncAttachment.self),
      attachment.core.configuration.isFlexible
    else { throwRealmException("This Realm was not configured with flexible sync") }
    return SyncSubscriptionSet(attachment.core, core.shared, realm: core)
  }
}
#endif
