// SPDX-License-Identifier: Apache-2.0

// The counters of apps' own code: functions, triggers and webhooks.
//
// Names of functions, triggers and webhooks' events are the operator's, so they are few; a client
// cannot make up one.

#if Server
import CoreMetrics
import Metrics
import NIOConcurrencyHelpers
import RealmServerEngine
import RealmServerServices

/// Counts runs of code by app, name and outcome.
final class CodeMetrics: Sendable {
  private struct Trigger: Hashable {
    let app: String
    let name: String
  }

  private struct Line: Hashable {
    let app: String
    let kind: CodeRun.Kind
  }

  private struct Result: Hashable {
    let line: Line
    let outcome: CodeRun.Outcome
  }

  private struct State {
    var counters: [Result: Counter] = [:]
    var timers: [Line: Metrics.Timer] = [:]
    var triggers: [Trigger: TriggerMeters] = [:]
  }

  private struct TriggerMeters {
    let behind: Meter
    let suspended: Meter
  }

  private let factory: any MetricsFactory
  private let state = NIOLockedValueBox(State())

  init(_ factory: any MetricsFactory) { self.factory = factory }

  /// Counts a run.
  func didRun(_ run: CodeRun) {
    let line = Line(app: run.app, kind: run.kind)
    let names = Self.names(run.kind)
    let dimensions = [("app", run.app), (names.dimension, names.name)]
    kept(\.counters, Result(line: line, outcome: run.outcome)) {
      Counter(
        label: names.counter, dimensions: dimensions + [("outcome", run.outcome.rawValue)],
        factory: factory)
    }.increment()
    guard run.outcome != .skipped else { return }
    kept(\.timers, line) {
      Metrics.Timer(label: names.timer, dimensions: dimensions, factory: factory)
    }.record(duration: .milliseconds(Int64(run.time)))
  }

  /// Shows how triggers do. Those that are gone are neither behind nor suspended.
  func show(_ statuses: [(app: String, status: TriggerStatus)]) {
    var gone = state.withLockedValue { $0.triggers }
    for (app, status) in statuses {
      let trigger = Trigger(app: app, name: status.name)
      gone[trigger] = nil
      let dimensions = [("app", app), ("trigger", status.name)]
      let meters = kept(\.triggers, trigger) {
        TriggerMeters(
          behind: Meter(label: "realm_trigger_behind", dimensions: dimensions, factory: factory),
          suspended: Meter(
            label: "realm_trigger_suspended", dimensions: dimensions, factory: factory))
      }
      meters.behind.set(status.behind)
      meters.suspended.set(status.state == .suspended ? 1 : 0)
    }
    for meters in gone.values {
      meters.behind.set(0)
      meters.suspended.set(0)
    }
  }

  /// The value of a key, made at the first call. The program's factory is called without a lock.
  private func kept<Key: Hashable, Value>(
    _ values: WritableKeyPath<State, [Key: Value]>, _ key: Key, _ make: () -> Value
  ) -> Value {
    if let known = state.withLockedValue({ $0[keyPath: values][key] }) { return known }
    let made = make()
    return state.withLockedValue { state in
      if let known = state[keyPath: values][key] { return known }
      state[keyPath: values][key] = made
      return made
    }
  }

  private static func names(
    _ kind: CodeRun.Kind
  ) -> (counter: String, timer: String, dimension: String, name: String) {
    switch kind {
    case .function(let name):
      ("realm_function_calls_total", "realm_function_seconds", "function", name)
    case .trigger(let name):
      ("realm_trigger_events_total", "realm_trigger_seconds", "trigger", name)
    case .webhook(let event):
      ("realm_webhook_requests_total", "realm_webhook_seconds", "event", event)
    }
  }
}
#endif
