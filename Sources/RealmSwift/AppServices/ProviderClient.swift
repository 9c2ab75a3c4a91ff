// SPDX-License-Identifier: Apache-2.0

// What the calls about a kind of login have in common.

#if Sync
/// The calls of an app about one kind of login: `EmailPasswordAuth` and `APIKeyAuth`.
public protocol ProviderClient: Sendable {
  /// The app.
  var app: App { get }
}
#endif
