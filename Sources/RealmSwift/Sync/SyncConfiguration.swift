// SPDX-License-Identifier: Apache-2.0

// What is synchronised, and as whom.

#if Sync
/// The user of a synchronised realm, what it has of the app's data, and what happens on errors.
///
/// Made by `User.configuration(partitionValue:clientResetMode:cancelAsyncOpenOnNonFatalErrors:)`
/// and `User.flexibleSyncConfiguration(clientResetMode:cancelAsyncOpenOnNonFatalErrors:)`.
public struct SyncConfiguration: Sendable {
  /// The subscriptions that a realm is opened with for the first time.
  public struct InitialSubscriptionsConfiguration: Sendable {
    /// Adds the subscriptions.
    public let callback: @Sendable (_ subscriptions: SyncSubscriptionSet) -> Void
    /// Whether the block runs at the first opening of each process, not only for a new file.
    public let rerunOnOpen: Bool
  }

  /// The user whose realm it is.
  public let user: User
  /// The value that all objects of the realm share at the server; nil for realms with
  /// subscriptions.
  public let partitionValue: AnyBSON?
  /// The policy of a client reset.
  public let clientResetMode: ClientResetMode
  /// Whether an error that the session survives ends an asynchronous opening.
  public let cancelAsyncOpenOnNonFatalErrors: Bool
  /// The subscriptions of a new file; nil for none.
  public let initialSubscriptions: InitialSubscriptionsConfiguration?
  /// The file that another service has synchronised, and that this realm goes on with; nil for
  /// none.
  public var formerFile: FormerFile?

  init(
    user: User, partitionValue: AnyBSON? = nil, clientResetMode: ClientResetMode,
    cancelAsyncOpenOnNonFatalErrors: Bool,
    initialSubscriptions: InitialSubscriptionsConfiguration? = nil
  ) {
    self.user = user
    self.partitionValue = partitionValue
    self.clientResetMode = clientResetMode
    self.cancelAsyncOpenOnNonFatalErrors = cancelAsyncOpenOnNonFatalErrors
    self.initialSubscriptions = initialSubscriptions
  }
}

/// The subscriptions that a realm begins with.
public typealias InitialSubscriptionsConfiguration =
  SyncConfiguration.InitialSubscriptionsConfiguration
#endif
