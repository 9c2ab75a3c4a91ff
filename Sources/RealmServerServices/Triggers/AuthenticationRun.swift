// SPDX-License-Identifier: Apache-2.0

// The run of a trigger on users.
//
// Invariants:
// 1. The stored number is never beyond an undelivered event, so each event is delivered
//    at least once, in the order of their numbers.

#if Server
import RealmFormats
import RealmServerEngine
import RealmSyncProtocol

/// Delivers events about users.
struct AuthenticationRun {
  /// The queue's only entry.
  static let users = RealmID("users")

  private static let batchCount = 64
  private static let storeInterval: Milliseconds = 250

  private let context: TriggerContext
  private let trigger: AuthenticationTrigger
  private let accounts: AccountService
  /// Called after a number was stored: events without a use can go.
  private let didStore: @Sendable () async -> Void
  private var number: UInt64
  private var isStored = true
  private var lastStore: Milliseconds

  init(
    _ context: TriggerContext, _ trigger: AuthenticationTrigger, _ accounts: AccountService,
    after number: Int64, didStore: @escaping @Sendable () async -> Void
  ) {
    self.context = context
    self.trigger = trigger
    self.accounts = accounts
    self.number = UInt64(clamping: number)
    self.didStore = didStore
    lastStore = context.timer.now()
  }

  /// Runs until the task is cancelled, or the trigger cannot go on.
  mutating func run() async throws(TriggerStop) {
    var works = context.queue.makeWorks()
    // A server that was killed may have stored its number, and not removed the events before it.
    await didStore()
    do throws(TriggerStop) {
      while let work = await works.next() {
        if case .realm = work {
          if try await step() { context.queue.add(Self.users) }
        }
        await storeIfDue(isIdle: context.queue.count == 0)
      }
    } catch {
      await store()
      throw error
    }
    await store()
    throw .cancelled
  }

  /// Delivers some events. Returns whether there are more.
  private mutating func step() async throws(TriggerStop) -> Bool {
    let batch = try await batch()
    context.update { $0.behind = batch.last - min(batch.last, number) }
    for event in batch.events {
      if event.kind == trigger.operation, let document = document(event) {
        try await context.deliver(document, depth: event.depth)
      }
      number = event.number
      isStored = false
      await storeIfDue(isIdle: false)
    }
    if batch.events.isEmpty, number != batch.last {
      number = batch.last
      isStored = false
    }
    context.update { $0.behind = batch.last - number }
    return number < batch.last
  }

  /// The next events. Where they are gone, the trigger goes on with the present, or not at all.
  private mutating func batch() async throws(TriggerStop) -> AccountEvent.Batch {
    var failureCount = 0
    while true {
      let batch: AccountEvent.Batch
      do throws(StoreError) {
        batch = try await accounts.store.events(after: number, count: Self.batchCount)
      } catch {
        failureCount += 1
        context.report("the users cannot be read: \(error)")
        try await context.pause(after: failureCount)
        continue
      }
      guard batch.goneThrough > number || batch.last < number else { return batch }
      let text =
        "lost position: the events about users after the last delivered one are not there any "
        + "more. Resume it from \"now\" or from \"start\""
      guard context.settings.toleratesLostPosition else { throw .suspended(text) }
      context.report(text + "; it goes on with what comes from now on")
      number = batch.last
      isStored = false
    }
  }

  /// The argument of the function; nil for an unwanted event.
  private func document(_ event: AccountEvent) -> BSONValue? {
    guard var elements = event.document.elements else { return nil }
    if let wanted = trigger.providers {
      var providers: [String] = []
      if case .array(let values)? = event.document["providers"] {
        providers = values.compactMap(\.text)
      }
      guard providers.contains(where: wanted.contains) else { return nil }
    }
    let id = String(event.number, radix: 16)
    elements.insert(
      BSONElement("_id", .document([BSONElement("_data", .string("users-" + id))])), at: 0)
    return .document(elements)
  }

  private mutating func storeIfDue(isIdle: Bool) async {
    guard !isStored, isIdle || context.timer.now() &- lastStore >= Self.storeInterval else {
      return
    }
    await store()
  }

  private mutating func store() async {
    guard !isStored else { return }
    lastStore = context.timer.now()
    do throws(StoreError) {
      try await context.store.set(number: Int64(clamping: number), of: context.name)
      isStored = true
    } catch {
      return context.report("its position cannot be stored: \(error)")
    }
    await didStore()
  }
}
#endif
