// SPDX-License-Identifier: Apache-2.0

// What the server has done since its start, for its page: whatever metrics a program has, they need
// not be readable.

#if Server
import NIOConcurrencyHelpers
import RealmFormats

/// Counts since the start.
final class ServerTotals: Sendable {
  /// The numbers.
  struct Counts: Hashable, Sendable {
    var openConnections = 0
    var connections = 0
    var refused = 0
    var sessions = 0
    var uploads = 0
    var downloads = 0
    var receivedBytes = 0
    var sentBytes = 0
    var requests = 0
    var failedRequests = 0

    var json: JSONValue {
      [
        "openConnections": JSONValue(openConnections), "connections": JSONValue(connections),
        "refused": JSONValue(refused), "sessions": JSONValue(sessions),
        "uploads": JSONValue(uploads), "downloads": JSONValue(downloads),
        "receivedBytes": JSONValue(receivedBytes), "sentBytes": JSONValue(sentBytes),
        "requests": JSONValue(requests), "failedRequests": JSONValue(failedRequests),
      ]
    }
  }

  /// The kinds of work whose time is measured.
  enum Work: String, CaseIterable {
    case upload
    case download
    case request
  }

  private let counts = NIOLockedValueBox(Counts())
  private let histograms = Dictionary(
    uniqueKeysWithValues: Work.allCases.map { ($0, LatencyHistogram()) })

  var snapshot: Counts { counts.withLockedValue { $0 } }

  func change(_ body: (inout Counts) -> Void) { counts.withLockedValue { body(&$0) } }

  func add(_ time: Duration, of work: Work) { histograms[work]?.add(time) }

  /// The times of a kind of work.
  func times(of work: Work) -> LatencyHistogram.Snapshot {
    histograms[work]?.snapshot ?? LatencyHistogram.Snapshot()
  }

  /// Half, 95 and 99 of a hundred durations are no longer than these, in seconds.
  var latencies: JSONValue {
    .object(
      Work.allCases.map { work in
        let times = times(of: work)
        func quantile(_ share: Double) -> JSONValue {
          times.quantile(share).map { .double($0) } ?? .null
        }
        return JSONMember(
          work.rawValue,
          [
            "count": JSONValue(times.count), "p50": quantile(0.5), "p95": quantile(0.95),
            "p99": quantile(0.99),
          ])
      })
  }
}
#endif
