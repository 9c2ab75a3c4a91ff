// SPDX-License-Identifier: Apache-2.0

// What happens to a file that the server cannot go on with.

#if Sync
/// The policy of a client reset: the server cannot go on with the file of a realm, as after it was
/// restored from an older backup, or because the device was away for too long.
///
/// In all modes but `.manual` a fresh copy is downloaded beside the file, and the file is then made
/// equal to it in one transaction: realms, objects and observers stay, and see one change. The
/// session goes on by itself.
///
/// ```swift
/// let configuration = user.flexibleSyncConfiguration(
///   clientResetMode: .recoverOrDiscardUnsyncedChanges(afterReset: { before, after in
///     print("\(before.objects(Todo.self).count) became \(after.objects(Todo.self).count)")
///   }))
/// ```
///
/// The blocks are called on a thread of the library. The first realm is frozen; the second one of
/// `afterReset` is live, and to be used in the block alone. The session waits for the blocks. If
/// the process ends between the reset and `afterReset`, that is called at the next start, with the
/// realm as it is then in both places.
///
/// A reset that fails is reported like a manual one: `SyncManager.errorHandler` gets a
/// `SyncError.clientResetError`, and the session stays inactive. When the program starts again the
/// file is moved to the place that `SyncError.clientResetInfo()` names, with all that is not
/// uploaded, and an empty one takes its place. The token that comes with the place does that as
/// soon as the file is closed; see `SyncSession.immediatelyHandleError(_:)`.
public enum ClientResetMode: Sendable {
  /// Nothing is done but to report the error, to the handler or else to `SyncManager.errorHandler`.
  case manual(
    errorHandler: (@Sendable (_ error: any Error, _ session: SyncSession?) -> Void)? = nil)
  /// Changes that are not uploaded are discarded.
  ///
  /// Fails if the program has classes or properties that the server does not know.
  case discardUnsyncedChanges(
    beforeReset: (@Sendable (_ before: Realm) -> Void)? = nil,
    afterReset: (@Sendable (_ before: Realm, _ after: Realm) -> Void)? = nil)
  /// Changes that are not uploaded are made again on the fresh copy, and uploaded.
  ///
  /// What belongs to objects that are gone is lost. Fails if the server forbids that, or if a
  /// change erases a class or property, or adds one that the server has with another type.
  case recoverUnsyncedChanges(
    beforeReset: (@Sendable (_ before: Realm) -> Void)? = nil,
    afterReset: (@Sendable (_ before: Realm, _ after: Realm) -> Void)? = nil)
  /// Changes that are not uploaded are made again on the fresh copy, or discarded if that is
  /// impossible.
  case recoverOrDiscardUnsyncedChanges(
    beforeReset: (@Sendable (_ before: Realm) -> Void)? = nil,
    afterReset: (@Sendable (_ before: Realm, _ after: Realm) -> Void)? = nil)
}

extension ClientResetMode {
  /// The earlier name of `discardUnsyncedChanges`.
  @available(*, deprecated, renamed: "discardUnsyncedChanges(beforeReset:afterReset:)")
  public static func discardLocal(
    beforeReset: (@Sendable (_ before: Realm) -> Void)? = nil,
    afterReset: (@Sendable (_ before: Realm, _ after: Realm) -> Void)? = nil
  ) -> ClientResetMode {
    .discardUnsyncedChanges(beforeReset: beforeReset, afterReset: afterReset)
  }
}
#endif
