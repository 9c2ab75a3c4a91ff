// SPDX-License-Identifier: Apache-2.0

// The deliveries of one trigger.
//
// Invariants:
// 1. An event is delivered once a call of the function returned without an error; until then it is
//    repeated, or left out where the settings say so.
// 2. No event is delivered to a trigger beyond the depth of its version: it has set itself off.
// 3. No call of the function begins once another server is known to run the triggers.

#if Server
import RealmFormats
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol

/// The reason for the end of a trigger's run.
enum TriggerStop: Error, Hashable, Sendable {
  case cancelled
  /// In words for the operator.
  case suspended(String)
}

/// The surroundings of a trigger's run.
final class TriggerContext: Sendable {
  /// The most triggers on the way to a change.
  static let depthMax = 8
  private static let pauseMin: Milliseconds = 1_000
  private static let pauseMax: Milliseconds = 300_000

  let settings: TriggerSettings
  let store: any TriggerStore
  let clock: ServerClock
  let timer: SyncClock
  let queue = TriggerQueue()
  private let functions: FunctionService
  private let random: RandomBytes
  private let notice: @Sendable (String) -> Void
  private let state: Locked<TriggerStatus>

  init(
    _ settings: TriggerSettings, store: any TriggerStore, functions: FunctionService,
    clock: ServerClock, timer: SyncClock, random: RandomBytes,
    notice: @escaping @Sendable (String) -> Void
  ) {
    self.settings = settings
    self.store = store
    self.functions = functions
    self.clock = clock
    self.timer = timer
    self.random = random
    self.notice = notice
    state = Locked(TriggerStatus(settings))
  }

  var name: String { settings.name }

  var status: TriggerStatus {
    var status = state.withLock { $0 }
    if case .database = settings.kind { status.pendingRealms = queue.count }
    return status
  }

  func update(_ body: (inout TriggerStatus) -> Void) { state.withLock { body(&$0) } }

  /// Tells the operator, and notes an error.
  func report(_ text: String) {
    let now = clock.now()
    update { ($0.error, $0.errorTime) = (text, now) }
    notice("The trigger '\(name)': \(text)")
  }

  // MARK: Deliveries

  /// Calls the function with an event until it takes it.
  ///
  /// - Parameter depth: The triggers on the way to the event.
  func deliver(_ event: BSONValue, depth: Int = 0) async throws(TriggerStop) {
    guard depth < Self.depthMax else {
      throw .suspended(
        "\(Self.depthMax) triggers led to one change: they set each other off. Give one of them a "
          + "\"match\" that leaves out what triggers write")
    }
    var attempt = 0
    while true {
      if Task.isCancelled || !(store.lease?.isHeld ?? true) { throw .cancelled }
      let start = functions.now()
      guard let failure = await failure(of: event, depth) else {
        functions.measure(.trigger(name), .done, since: start)
        break
      }
      if Task.isCancelled { throw .cancelled }
      if failure != .busy {
        functions.measure(.trigger(name), .failed, since: start)
        attempt += 1
      }
      let count = attempt
      report("\(failure)")
      update { ($0.failed, $0.attempt) = ($0.failed + 1, count) }
      if attempt >= settings.attemptCountMax {
        let text = "an event has failed \(attempt) times, last with: \(failure)"
        guard settings.onFailure == .skip else { throw .suspended(text) }
        report(text + "; it is left out")
        functions.measure(.trigger(name), .skipped, since: start)
        update { ($0.skipped, $0.attempt) = ($0.skipped + 1, 0) }
        return
      }
      try await pause(after: max(attempt, 1))
    }
    let now = clock.now()
    update { status in
      status.delivered += 1
      (status.attempt, status.lastDelivery) = (0, now)
    }
  }

  /// Calls the function once; nil if it takes the event.
  private func failure(of event: BSONValue, _ depth: Int) async -> FunctionError? {
    let (functions, settings) = (functions, settings)
    return await CallChain.$depth.withValue(depth + 1) { () async -> FunctionError? in
      do throws(FunctionError) {
        _ = try await functions.call(settings.function, [event], by: .trigger(settings.name))
        return nil
      } catch {
        return error
      }
    }
  }

  /// Waits, longer after each failure, and not for the same time as others.
  func pause(after failureCount: Int) async throws(TriggerStop) {
    let full = min(Self.pauseMin << Milliseconds(min(failureCount - 1, 20)), Self.pauseMax)
    let part = random.bytes(2).reduce(0 as Milliseconds) { $0 << 8 | Milliseconds($1) }
    do throws(CancellationError) {
      try await timer.sleep(timer.now() + full / 2 + full / 2 * part / 0xFFFF)
    } catch {
      throw .cancelled
    }
  }
}
#endif
