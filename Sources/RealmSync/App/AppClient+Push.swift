// SPDX-License-Identifier: Apache-2.0

// The registration of devices for push messages (P1 A.2).

import RealmFormats
package import RealmSyncProtocol

extension AppClient {
  /// Registers this device for a user, in place of what it had registered.
  package func registerPush(
    _ token: String, for service: String, of user: AppUser
  ) async throws(AppFailure) {
    _ = try await send(
      .put, Self.path(service), ["registrationToken": .string(token)], of: .app, as: user)
  }

  /// Ends the registration of this device for a user.
  package func deregisterPush(for service: String, of user: AppUser) async throws(AppFailure) {
    _ = try await send(.delete, Self.path(service), of: .app, as: user)
  }

  private static func path(_ service: String) -> String {
    "push/providers/\(SyncPaths.escaped(service))/registration"
  }
}
