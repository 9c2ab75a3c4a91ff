// SPDX-License-Identifier: Apache-2.0

// The counters of the server.

#if Server
import CoreMetrics
import Metrics
import RealmServerEngine

/// The counters of the server.
struct ServerMetrics: Sendable {
  private let open: Meter
  private let connections: Counter
  private let refused: Counter
  private let sessions: Counter
  private let uploads: Counter
  private let downloads: Counter
  private let receivedBytes: Counter
  private let sentBytes: Counter
  private let openRealms: Meter
  private let removed: [String: Counter]
  private let failures: Counter

  /// The kinds of removals by upkeep, as names of metrics.
  private static let removedNames = [
    "sessions", "mailed_tokens", "anonymous_users", "registrations", "client_files",
    "expired_client_files", "versions",
  ]

  init(_ factory: any MetricsFactory) {
    open = Meter(label: "realm_connections_open", factory: factory)
    connections = Counter(label: "realm_connections_total", factory: factory)
    refused = Counter(label: "realm_connections_refused_total", factory: factory)
    sessions = Counter(label: "realm_sessions_total", factory: factory)
    uploads = Counter(label: "realm_uploads_total", factory: factory)
    downloads = Counter(label: "realm_downloads_total", factory: factory)
    receivedBytes = Counter(label: "realm_received_bytes_total", factory: factory)
    sentBytes = Counter(label: "realm_sent_bytes_total", factory: factory)
    openRealms = Meter(label: "realm_realms_open", factory: factory)
    removed = Dictionary(
      uniqueKeysWithValues: Self.removedNames.map {
        ($0, Counter(label: "realm_removed_\($0)_total", factory: factory))
      })
    failures = Counter(label: "realm_upkeep_failures_total", factory: factory)
  }

  /// Counts the removals of an app's upkeep.
  func didCleanUp(_ report: ServerUpkeep.Report) {
    let counts = [
      report.accounts.sessions, report.accounts.tokens, report.accounts.anonymousUsers,
      report.accounts.registrations, report.expiredFiles, report.forgottenFiles,
      Int(report.trimmedVersions),
    ]
    for (name, count) in zip(Self.removedNames, counts) { removed[name]?.increment(by: count) }
    failures.increment(by: report.failures.count)
  }

  func setOpenRealms(_ count: Int) { openRealms.set(count) }

  func didOpen() {
    connections.increment()
    open.increment()
  }

  func didClose() { open.decrement() }

  func didRefuse() { refused.increment() }

  /// Counts a message by its first word.
  func didReceive(_ message: [UInt8]) {
    receivedBytes.increment(by: message.count)
    if message.starts(with: "bind ".utf8) { sessions.increment() }
    if message.starts(with: "upload ".utf8) { uploads.increment() }
  }

  /// What is counted of a message that is sent.
  struct Sent {
    let byteCount: Int
    let isDownload: Bool

    init(_ message: borrowing [UInt8]) {
      byteCount = message.count
      isDownload = message.starts(with: "download ".utf8)
    }
  }

  func didSend(_ message: Sent) {
    sentBytes.increment(by: message.byteCount)
    if message.isDownload { downloads.increment() }
  }
}
#endif
