// SPDX-License-Identifier: Apache-2.0

// The configurations of a user's realms.

#if Sync
extension User {
  /// The configuration of the realm of a partition: all objects that have the value in the
  /// partition property.
  ///
  /// - Parameters:
  ///   - partitionValue: The value.
  ///   - clientResetMode: What happens if the server cannot go on with the file.
  ///   - cancelAsyncOpenOnNonFatalErrors: Whether an error that the session survives ends an
  ///     asynchronous opening.
  public func configuration<T: PartitionValue>(
    partitionValue: T, clientResetMode: ClientResetMode = .recoverUnsyncedChanges(),
    cancelAsyncOpenOnNonFatalErrors: Bool = false
  ) -> Realm.Configuration {
    configuration(
      partition: partitionValue.anyBSON, clientResetMode, cancelAsyncOpenOnNonFatalErrors)
  }

  /// The configuration of the realm of a partition whose value is null, or given as `AnyBSON`.
  public func configuration(
    partitionValue: AnyBSON?, clientResetMode: ClientResetMode = .recoverUnsyncedChanges(),
    cancelAsyncOpenOnNonFatalErrors: Bool = false
  ) -> Realm.Configuration {
    configuration(
      partition: partitionValue ?? .null, clientResetMode, cancelAsyncOpenOnNonFatalErrors)
  }

  private func configuration(
    partition: AnyBSON, _ mode: ClientResetMode, _ cancels: Bool
  ) -> Realm.Configuration {
    Realm.Configuration(
      syncConfiguration: SyncConfiguration(
        user: self, partitionValue: partition, clientResetMode: mode,
        cancelAsyncOpenOnNonFatalErrors: cancels))
  }

  /// The configuration of the user's realm of this app whose subscriptions decide what it has.
  ///
  /// - Parameters:
  ///   - clientResetMode: What happens if the server cannot go on with the file.
  ///   - cancelAsyncOpenOnNonFatalErrors: Whether an error that the session survives ends an
  ///     asynchronous opening.
  public func flexibleSyncConfiguration(
    clientResetMode: ClientResetMode = .recoverUnsyncedChanges(),
    cancelAsyncOpenOnNonFatalErrors: Bool = false
  ) -> Realm.Configuration {
    Realm.Configuration(
      syncConfiguration: SyncConfiguration(
        user: self, clientResetMode: clientResetMode,
        cancelAsyncOpenOnNonFatalErrors: cancelAsyncOpenOnNonFatalErrors))
  }

  /// The configuration of the user's realm of this app, with the subscriptions that it begins with.
  ///
  /// ```swift
  /// let configuration = user.flexibleSyncConfiguration(initialSubscriptions: { subscriptions in
  ///   subscriptions.append(QuerySubscription<Todo>(name: "mine") { $0.owner == user.id })
  /// })
  /// let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .once)
  /// ```
  ///
  /// - Parameters:
  ///   - clientResetMode: The answer to a client reset; see `ClientResetMode`.
  ///   - cancelAsyncOpenOnNonFatalErrors: Whether an error that the session survives ends an
  ///     asynchronous opening.
  ///   - initialSubscriptions: Adds the subscriptions. Runs when the realm is opened, on the thread
  ///     that opens it, before the realm can be used; must not wait for anything.
  ///   - rerunOnOpen: Whether the block runs at the first opening of each process, not only for a
  ///     new file.
  public func flexibleSyncConfiguration(
    clientResetMode: ClientResetMode = .recoverUnsyncedChanges(),
    cancelAsyncOpenOnNonFatalErrors: Bool = false,
    initialSubscriptions: @escaping @Sendable (SyncSubscriptionSet) -> Void,
    rerunOnOpen: Bool = false
  ) -> Realm.Configuration {
    Realm.Configuration(
      syncConfiguration: SyncConfiguration(
        user: self, clientResetMode: clientResetMode,
        cancelAsyncOpenOnNonFatalErrors: cancelAsyncOpenOnNonFatalErrors,
        initialSubscriptions: .init(callback: initialSubscriptions, rerunOnOpen: rerunOnOpen)))
  }
}
#endif
