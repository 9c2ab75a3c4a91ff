// SPDX-License-Identifier: Apache-2.0

// The registration of devices for push messages.

#if Sync
/// Registers devices of users for a push service.
///
/// Not available in this release: all calls throw `AppError.notCallable`.
public final class PushClient: Sendable {
  /// The name of the push service.
  public let serviceName: String

  init(_ app: AppCore, serviceName: String) { self.serviceName = serviceName }

  private var unavailable: AppError { UnavailableService.error("PushClient") }

  /// Registers the device of a user.
  public func registerDevice(token: String, user: User) async throws { throw unavailable }

  /// Ends the registration of a device.
  public func deregisterDevice(user: User) async throws { throw unavailable }

  /// See `registerDevice(token:user:)`.
  public func registerDevice(
    token: String, user: User, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    completion(unavailable)
  }

  /// See `deregisterDevice(user:)`.
  public func deregisterDevice(user: User, completion: @escaping @Sendable ((any Error)?) -> Void) {
    completion(unavailable)
  }
}
#endif
