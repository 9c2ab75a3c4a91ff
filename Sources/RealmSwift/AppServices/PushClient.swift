// SPDX-License-Identifier: Apache-2.0

// The registration of devices for push messages.

/// Registers devices of users for a push service.
///
/// Not available in this release: all calls throw `AppError.notCallable`.
public final class PushClient: Sendable {
  public let serviceName: String

  init(_ app: AppCore, serviceName: String) { self.serviceName = serviceName }

  private var unavailable: AppError { UnavailableService.error("PushClient") }

  public func registerDevice(token: String, user: User) async throws { throw unavailable }

  public func deregisterDevice(user: User) async throws { throw unavailable }

  public func registerDevice(
    token: String, user: User, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    completion(unavailable)
  }

  public func deregisterDevice(
    user: User, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    completion(unavailable)
  }
}
