// SPDX-License-Identifier: Apache-2.0

// A user of tests.

import RealmStorage
import RealmSync
import RealmSyncProtocol

/// Counts what connections ask for.
final class TestAuthority: SyncAuthority {
  struct Counts: Equatable {
    var tokens = 0
    var locations = 0
    var logOuts = 0
  }

  let counts = Locked(Counts())
  let hasTokens = Locked(true)

  func endpoint(_ mode: SyncMode) async -> SyncEndpoint {
    let token = counts.withLock { $0.tokens }
    return SyncEndpoint(
      url: "ws://server/realm-sync?baas_at=\(token)", protocolNames: ProtocolVersion.offer(mode))
  }

  func refreshToken() async -> Bool {
    counts.withLock { $0.tokens += 1 }
    return hasTokens.withLock { $0 }
  }

  func refreshLocation() async -> Bool {
    counts.withLock { $0.locations += 1 }
    return true
  }

  func logOut() async { counts.withLock { $0.logOuts += 1 } }
}
