// SPDX-License-Identifier: Apache-2.0

// A user of an app, as its connections see it.

package import RealmSyncProtocol

/// The address and the tokens for the connections of a user.
package struct UserAuthority: SyncAuthority {
  private let client: AppClient
  private let user: AppUser
  private let headers: @Sendable () -> [HTTPHeader]
  private let report: @Sendable (AppFailure, _ endsSession: Bool) -> Void

  /// - Parameters:
  ///   - headers: The headers of the app for handshakes.
  ///   - report: Takes the reason why there is no token or location, and whether the server has
  ///     refused the user's session for good.
  package init(
    _ client: AppClient, _ user: AppUser, headers: @escaping @Sendable () -> [HTTPHeader] = { [] },
    report: @escaping @Sendable (AppFailure, _ endsSession: Bool) -> Void = { _, _ in }
  ) {
    self.client = client
    self.user = user
    self.headers = headers
    self.report = report
  }

  package func endpoint(_ mode: SyncMode) async -> SyncEndpoint {
    let token = user.record.accessToken?.text ?? ""
    return SyncEndpoint(
      url: client.location.socketURL(app: client.settings.id) + "?baas_at=" + token,
      protocolNames: ProtocolVersion.offer(mode), headers: headers())
  }

  package func refreshToken() async -> Bool {
    do throws(AppFailure) {
      try await client.refreshToken(of: user)
      return true
    } catch {
      report(error, error.isForbidden)
      return false
    }
  }

  package func refreshLocation() async -> Bool {
    do throws(AppFailure) {
      try await client.refreshLocation()
      return true
    } catch {
      report(error, false)
      return false
    }
  }

  package func logOut() async { try? await client.logOut(user) }
}
