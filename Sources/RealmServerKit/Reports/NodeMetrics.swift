// SPDX-License-Identifier: Apache-2.0

// The counters of connections between servers.

#if Server
import CoreMetrics
import Metrics
import RealmServerEngine
import RealmServerServices

/// Counts what servers forward to each other.
struct NodeMetrics: Sendable {
  private let sessions: Meter
  private let sentBytes: Counter
  private let receivedBytes: Counter

  init(_ factory: any MetricsFactory) {
    sessions = Meter(label: "realm_forwarded_sessions_open", factory: factory)
    sentBytes = Counter(label: "realm_node_sent_bytes_total", factory: factory)
    receivedBytes = Counter(label: "realm_node_received_bytes_total", factory: factory)
  }

  /// For the connections to other servers: sessions are counted where their sockets are.
  var outgoing: NodeMeter {
    var meter = incoming
    meter.sessions = { [sessions] count in
      if count < 0 {
        sessions.decrement(by: Double(count.magnitude))
      } else {
        sessions.increment(by: Double(count))
      }
    }
    return meter
  }

  /// For the connections of other servers.
  var incoming: NodeMeter {
    NodeMeter(
      sent: { [sentBytes] in sentBytes.increment(by: $0) },
      received: { [receivedBytes] in receivedBytes.increment(by: $0) })
  }
}
#endif
