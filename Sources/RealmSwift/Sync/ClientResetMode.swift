// SPDX-License-Identifier: Apache-2.0

// What happens to a file that the server cannot go on with.

#if Sync
/// The policy of a client reset: the server asks for the file to be replaced by a fresh copy.
///
/// In this release no reset is carried out automatically: one of every mode is reported as a manual
/// one is, and the blocks are not called. The handler of `.manual`, or else
/// `SyncManager.errorHandler`, gets a `SyncError.clientResetError`, and the session stays inactive.
/// When the program starts again the file is moved to the place that `clientResetInfo()` names, with
/// all that is not uploaded, and an empty one takes its place; `clientResetInfo()` also has the
/// token for `SyncSession.immediatelyHandleError(_:)`, which does that as soon as the file is
/// closed.
public enum ClientResetMode: Sendable {
  /// The program decides. The error has the code `SyncError.clientResetError`.
  case manual(
    errorHandler: (@Sendable (_ error: any Error, _ session: SyncSession?) -> Void)? = nil)
  /// Changes that are not uploaded are discarded. The blocks get the realm before the reset,
  /// frozen, and after it.
  case discardUnsyncedChanges(
    beforeReset: (@Sendable (_ before: Realm) -> Void)? = nil,
    afterReset: (@Sendable (_ before: Realm, _ after: Realm) -> Void)? = nil)
  /// Changes that are not uploaded are made again on the fresh copy; if that is impossible, the
  /// reset fails like a manual one.
  case recoverUnsyncedChanges(
    beforeReset: (@Sendable (_ before: Realm) -> Void)? = nil,
    afterReset: (@Sendable (_ before: Realm, _ after: Realm) -> Void)? = nil)
  /// Changes that are not uploaded are made again on the fresh copy, or discarded if that is
  /// impossible.
  case recoverOrDiscardUnsyncedChanges(
    beforeReset: (@Sendable (_ before: Realm) -> Void)? = nil,
    afterReset: (@Sendable (_ before: Realm, _ after: Realm) -> Void)? = nil)
}
#endif
