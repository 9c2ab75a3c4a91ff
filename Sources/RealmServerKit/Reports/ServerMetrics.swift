// SPDX-License-Identifier: Apache-2.0

// The counters of the server.

#if Server
import CoreMetrics
import Metrics
import RealmServerEngine
import RealmServerServices

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
  private let uploadTime: Metrics.Timer
  private let downloadTime: Metrics.Timer
  private let requestTime: Metrics.Timer
  private let answers: [Counter]
  private let gauges: [Gauge: Meter]
  /// The apps' own code.
  let code: CodeMetrics
  /// The connections between servers.
  let nodes: NodeMetrics
  /// The same for the server's page.
  let totals = ServerTotals()

  /// What is looked at now and then, as names of metrics.
  enum Gauge: String, CaseIterable {
    case sessionsOpen = "realm_sessions_open"
    case sessionsBehind = "realm_sessions_behind"
    case versionsBehindMax = "realm_versions_behind_max"
    case clientMemory = "realm_client_memory_bytes"
    case clientMemoryMax = "realm_client_memory_limit_bytes"
    case memoryUsed = "realm_memory_used_bytes"
    case memoryFree = "realm_memory_free_bytes"
    case diskFree = "realm_disk_free_bytes"
    case certificateEnd = "realm_certificate_end_seconds"
    case backupTime = "realm_backup_time_seconds"
    case backupFailures = "realm_backup_failures"
    case pinnedVersions = "realm_pinned_versions"
    case pinnedVersionsBehindMax = "realm_pinned_versions_behind_max"
    case pinnedTimeMax = "realm_pinned_seconds_max"
    case pinnedBytes = "realm_pinned_bytes"
    case fileBytes = "realm_file_bytes"
    case startTime = "realm_start_time_seconds"
    case logErrors = "realm_log_errors"
  }

  /// The classes of statuses in answers.
  private static let statusClasses = ["1xx", "2xx", "3xx", "4xx", "5xx"]

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
    uploadTime = Metrics.Timer(label: "realm_upload_seconds", factory: factory)
    downloadTime = Metrics.Timer(label: "realm_download_seconds", factory: factory)
    requestTime = Metrics.Timer(label: "realm_request_seconds", factory: factory)
    answers = Self.statusClasses.map {
      Counter(label: "realm_requests_total", dimensions: [("status", $0)], factory: factory)
    }
    code = CodeMetrics(factory)
    nodes = NodeMetrics(factory)
    gauges = Dictionary(
      uniqueKeysWithValues: Gauge.allCases.map {
        ($0, Meter(label: $0.rawValue, factory: factory))
      })
  }

  func set(_ value: some BinaryInteger, of gauge: Gauge) { gauges[gauge]?.set(value) }

  /// Counts what a session has done, with its time.
  func didWork(_ work: SessionWork, _ time: Duration) {
    switch work {
    case .upload:
      uploadTime.record(duration: time)
      totals.add(time, of: .upload)
    case .download:
      downloadTime.record(duration: time)
      totals.add(time, of: .download)
    }
  }

  /// Counts an answer to a request of HTTP.
  func didAnswer(status: Int, after time: Duration) {
    let index = min(max(status / 100, 1), answers.count) - 1
    answers[index].increment()
    requestTime.record(duration: time)
    totals.add(time, of: .request)
    totals.change { counts in
      counts.requests += 1
      if status >= 500 { counts.failedRequests += 1 }
    }
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
    totals.change { counts in
      counts.connections += 1
      counts.openConnections += 1
    }
  }

  func didClose() {
    open.decrement()
    totals.change { $0.openConnections -= 1 }
  }

  func didRefuse() {
    refused.increment()
    totals.change { $0.refused += 1 }
  }

  /// Counts a message by its first word.
  func didReceive(_ message: [UInt8]) {
    let isBind = message.starts(with: "bind ".utf8)
    let isUpload = message.starts(with: "upload ".utf8)
    receivedBytes.increment(by: message.count)
    if isBind { sessions.increment() }
    if isUpload { uploads.increment() }
    totals.change { counts in
      counts.receivedBytes += message.count
      if isBind { counts.sessions += 1 }
      if isUpload { counts.uploads += 1 }
    }
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
    totals.change { counts in
      counts.sentBytes += message.byteCount
      if message.isDownload { counts.downloads += 1 }
    }
  }
}
#endif
