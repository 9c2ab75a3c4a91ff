// SPDX-License-Identifier: Apache-2.0

// The counts of the server in Prometheus' text form.
//
// swift-metrics has no implementation of its own. This one has counters, gauges and timers for the
// server; recorders do nothing.

#if Server
package import CoreMetrics
import NIOConcurrencyHelpers

/// Keeps counters, gauges and timers, and writes them as Prometheus reads them.
package final class PrometheusMetrics: MetricsFactory {
  private struct Name: Hashable, Comparable {
    let label: String
    let dimensions: String

    static func < (left: Name, right: Name) -> Bool {
      (left.label, left.dimensions) < (right.label, right.dimensions)
    }
  }

  private struct State {
    var counters: [Name: PrometheusCounter] = [:]
    var gauges: [Name: PrometheusGauge] = [:]
    var timers: [Name: PrometheusTimer] = [:]
  }

  private let state = NIOLockedValueBox(State())

  package init() {}

  private static func name(_ label: String, _ dimensions: [(String, String)]) -> Name {
    let parts = dimensions.map { name, value in
      let escaped = value.flatMap { character -> [Character] in
        switch character {
        case "\\": ["\\", "\\"]
        case "\"": ["\\", "\""]
        case "\n": ["\\", "n"]
        default: [character]
        }
      }
      return "\(name)=\"\(String(escaped))\""
    }
    return Name(
      label: label, dimensions: parts.isEmpty ? "" : "{" + parts.joined(separator: ",") + "}")
  }

  /// All counters, gauges and timers, sorted.
  package var text: String {
    let state = state.withLockedValue { $0 }
    var lines: [String] = []
    func add<Value: CustomStringConvertible>(_ values: [(Name, Value)], _ type: String) {
      var last = ""
      for (name, value) in values.sorted(by: { $0.0 < $1.0 }) {
        if name.label != last { lines.append("# TYPE \(name.label) \(type)") }
        last = name.label
        lines.append("\(name.label)\(name.dimensions) \(value)")
      }
    }
    add(state.counters.map { ($0.key, $0.value.value) }, "counter")
    add(state.gauges.map { ($0.key, $0.value.value) }, "gauge")
    var last = ""
    for (name, timer) in state.timers.sorted(by: { $0.key < $1.key }) {
      if name.label != last { lines.append("# TYPE \(name.label) histogram") }
      last = name.label
      lines += timer.lines(name.label, name.dimensions)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  // MARK: MetricsFactory

  /// The counter of a label, made at the first call.
  package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    let name = Self.name(label, dimensions)
    return state.withLockedValue { state in
      if let counter = state.counters[name] { return counter }
      let counter = PrometheusCounter()
      state.counters[name] = counter
      return counter
    }
  }

  /// The gauge of a label, made at the first call.
  package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    let name = Self.name(label, dimensions)
    return state.withLockedValue { state in
      if let gauge = state.gauges[name] { return gauge }
      let gauge = PrometheusGauge()
      state.gauges[name] = gauge
      return gauge
    }
  }

  package func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler {
    NOOPMetricsHandler.instance
  }

  /// A timer that does nothing.
  package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    let name = Self.name(label, dimensions)
    return state.withLockedValue { state in
      if let timer = state.timers[name] { return timer }
      let timer = PrometheusTimer()
      state.timers[name] = timer
      return timer
    }
  }

  /// Keeps the counter: its count is not lost.
  package func destroyCounter(_ handler: any CounterHandler) {}
  /// Keeps the gauge.
  package func destroyMeter(_ handler: any MeterHandler) {}
  /// Does nothing.
  package func destroyRecorder(_ handler: any RecorderHandler) {}
  /// Does nothing.
  package func destroyTimer(_ handler: any TimerHandler) {}
}
#endif
