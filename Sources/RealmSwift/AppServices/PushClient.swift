// SPDX-License-Identifier: Apache-2.0

// The registration of devices for push messages.

#if Sync
import RealmSync

/// Registers devices of users for a push service.
///
/// The app's server keeps the token that the system has given to the device, and hands it to the
/// sender of messages. A user has one registration of a service on each device; to log out ends it.
///
/// ```swift
/// let push = app.pushClient(serviceName: "apns")
/// try await push.registerDevice(token: token, user: user)
/// ```
///
/// All calls throw `AppError`, or `CancellationError` if the task is cancelled.
public final class PushClient: Sendable {
  /// The name of the push service.
  public let serviceName: String
  private let app: AppCore

  init(_ app: AppCore, serviceName: String) {
    self.app = app
    self.serviceName = serviceName
  }

  /// Registers this device for a user, in place of what it had registered.
  public func registerDevice(token: String, user: User) async throws {
    try await calling(await app.client.registerPush(token, for: serviceName, of: user.user))
  }

  /// Ends the registration of this device for a user.
  public func deregisterDevice(user: User) async throws {
    try await calling(await app.client.deregisterPush(for: serviceName, of: user.user))
  }

  /// See `registerDevice(token:user:)`. The block is called once, on any thread.
  public func registerDevice(
    token: String, user: User, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    complete(completion) { try await self.registerDevice(token: token, user: user) }
  }

  /// See `deregisterDevice(user:)`. The block is called once, on any thread.
  public func deregisterDevice(user: User, completion: @escaping @Sendable ((any Error)?) -> Void) {
    complete(completion) { try await self.deregisterDevice(user: user) }
  }
}
#endif
