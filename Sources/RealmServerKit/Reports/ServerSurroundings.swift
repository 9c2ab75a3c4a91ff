// SPDX-License-Identifier: Apache-2.0

// What all parts of a running server share: the time, the log and the measurements.

#if Server
import Logging
import RealmServerEngine
import RealmSyncProtocol

/// The time of a server, and where its parts report what happens.
struct ServerSurroundings: Sendable {
  /// The time of connections.
  let timer: SyncClock
  /// The time of the server.
  let clock: ServerClock
  let logger: Logger
  /// Logs what may happen often, each once in a while.
  let notices: NoticeLog
  let metrics: ServerMetrics
  let tracing: ServerTracing
}
#endif
