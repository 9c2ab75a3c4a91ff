// SPDX-License-Identifier: Apache-2.0

// Actors, queues and threads over one file, doing everything at once. Each failure names its seed;
// `REALM_STRESS_SECONDS` makes the test go on with further seeds for as long.

import Dispatch
import Foundation
import RealmSwift
import RealmTestSupport
import Synchronization
import TestExtensions
import Testing

/// A value that leaves where it belongs: a frozen realm may, but its type does not say so.
private struct Carried<Value>: @unchecked Sendable {
  // Sendable: carries frozen realms only.
  let value: Value
}

/// The values of an account that observers compare.
private struct AccountValue: Equatable, Sendable {
  let id: Int
  let balance: Int

  init(_ account: StressAccount) { (id, balance) = (account.id, account.balance) }
}

/// What everybody can do where he lives, whatever the place is.
private struct Actions {
  let realm: Realm
  let ledger: StressLedger
  /// Counts the callbacks that have not come.
  let pending: DispatchGroup
  var random: SeededGenerator
  private var known = 0
  private var waiting: [AsyncTransactionId] = []

  init(_ realm: Realm, _ ledger: StressLedger, _ pending: DispatchGroup, seed: UInt64) {
    self.realm = realm
    self.ledger = ledger
    self.pending = pending
    random = SeededGenerator(seed: seed)
  }

  mutating func write() {
    let operation = ledger.makeOperation()
    do {
      try realm.write { ledger.transfer(realm, operation, &random) }
      ledger.noteCommitted(operation)
    } catch { ledger.note("\(error)") }
  }

  mutating func rollBack() {
    let operation = ledger.makeOperation()
    ledger.noteAbsent(operation)
    realm.beginWrite()
    ledger.transfer(realm, operation, &random)
    realm.cancelWrite()
  }

  mutating func writeAsync() {
    let (ledger, realm, pending) = (ledger, realm, pending)
    let operation = ledger.makeOperation()
    var random = SeededGenerator(seed: random.next())
    pending.enter()
    let leaves = Leaving(pending)
    waiting.append(
      realm.writeAsync {
        ledger.transfer(realm, operation, &random)
        ledger.noteCommitted(operation)
        leaves.use()
      } onComplete: { error in
        if let error { ledger.note("\(error)") }
        leaves.use()
      })
  }

  mutating func beginAsync() {
    let (ledger, realm, pending) = (ledger, realm, pending)
    let operation = ledger.makeOperation()
    let kind = Int.random(in: 0..<8, using: &random)
    var random = SeededGenerator(seed: random.next())
    pending.enter()
    let leaves = Leaving(pending)
    waiting.append(
      realm.beginAsyncWrite {
        leaves.use()
        if kind == 0 { ledger.noteAbsent(operation) } else { ledger.noteCommitted(operation) }
        ledger.transfer(realm, operation, &random)
        if kind == 0 { return }
        realm.commitAsyncWrite(allowGrouping: kind > 1) { error in
          if let error { ledger.note("\(error)") }
          leaves.use()
        }
      })
  }

  mutating func cancelOne() {
    guard let id = waiting.randomElement(using: &random) else { return }
    do { try realm.cancelAsyncWrite(id) } catch { ledger.note("\(error)") }
  }

  mutating func inspect() {
    if Bool.random(using: &random) { realm.refresh() }
    known = ledger.inspect(realm, atLeast: known)
  }

  /// Lets others read a frozen version while this place goes on.
  mutating func freeze() {
    let frozen = Carried(value: realm.freeze())
    let count = ledger.inspect(frozen.value)
    pending.enter()
    DispatchQueue.global().async { [ledger, pending] in
      if ledger.inspect(frozen.value) != count { ledger.note("a frozen realm changed") }
      pending.leave()
    }
  }

  /// Hands an object over to a queue.
  mutating func handOver(to queue: DispatchQueue) {
    let id = Int.random(in: 0..<StressLedger.accountCount, using: &random)
    guard let account = realm.object(ofType: StressAccount.self, forPrimaryKey: id) else {
      return ledger.note("an account is missing")
    }
    let entryCount = realm.objects(StressEntry.self).count
    let reference = ThreadSafeReference(to: account)
    let configuration = realm.configuration
    pending.enter()
    queue.async { [ledger, pending] in
      let local = try? Realm(configuration: configuration, queue: queue)
      if local?.resolve(reference)?.id != id { ledger.note("a reference led astray") }
      if let local { ledger.inspect(local, atLeast: entryCount) }
      pending.leave()
    }
  }

  /// One random thing that does not suspend.
  mutating func act(_ queue: DispatchQueue) {
    switch Int.random(in: 0..<14, using: &random) {
    case 0, 1: write()
    case 2: rollBack()
    case 3, 4, 5: writeAsync()
    case 6, 7, 8: beginAsync()
    case 9: cancelOne()
    case 10: handOver(to: queue)
    case 11: freeze()
    default: inspect()
    }
  }
}

/// Leaves a group when nothing can come any more: a block that was cancelled is released unused.
private final class Leaving: Sendable {
  private let group: DispatchGroup
  init(_ group: DispatchGroup) { self.group = group }
  deinit { group.leave() }
  func use() {}
}

private actor Participant {
  private var actions: Actions!
  private var token: NotificationToken?

  init(_ run: Run, seed: UInt64) async throws {
    let realm = try await Realm(configuration: run.configuration, actor: self)
    actions = Actions(realm, run.ledger, run.pending, seed: seed)
  }

  func observe(_ entries: Replica<Int>) async {
    token = await actions.realm.objects(StressEntry.self).sorted(byKeyPath: "sequence")
      .observe(on: self) { _, change in entries.apply(change) { $0.sequence } }
  }

  func act(_ queue: DispatchQueue) { actions.act(queue) }

  func asyncWrite() async {
    let (realm, ledger) = (actions.realm, actions.ledger)
    let operation = ledger.makeOperation()
    let fails = Int.random(in: 0..<10, using: &actions.random) == 0
    var random = SeededGenerator(seed: actions.random.next())
    do {
      let known = realm.objects(StressEntry.self).count
      try await realm.asyncWrite {
        ledger.transfer(realm, operation, &random)
        if fails { throw CocoaError(.userCancelled) }
        ledger.noteCommitted(operation)
      }
      ledger.inspect(realm, atLeast: known + 1)
    } catch is CancellationError {
      ledger.noteAbsent(operation)
    } catch is CocoaError {
      ledger.noteAbsent(operation)
    } catch { ledger.note("\(error)") }
  }

  func refresh() async {
    await actions.realm.asyncRefresh()
    actions.inspect()
  }

  func end() {
    token?.invalidate()
    token = nil
  }
}

/// What the parts of one run share.
private struct Run: Sendable {
  let configuration = Realm.Configuration(
    inMemoryIdentifier: UUID().uuidString, objectTypes: [StressAccount.self, StressEntry.self])
  let ledger = StressLedger()
  let pending = DispatchGroup()

  /// Lets tasks of an actor do all kinds of things at once; some are cancelled.
  func runActor(_ participant: Participant, _ queue: DispatchQueue, seed: UInt64) async {
    var random = SeededGenerator(seed: seed)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<30 {
        switch Int.random(in: 0..<5, using: &random) {
        case 0, 1: group.addTask { await participant.act(queue) }
        case 2: group.addTask { await participant.refresh() }
        default:
          let isCancelled = Int.random(in: 0..<3, using: &random) == 0
          let delay = Int.random(in: 0..<3000, using: &random)
          group.addTask {
            let write = Task { await participant.asyncWrite() }
            if isCancelled {
              try? await Task.sleep(for: .microseconds(delay))
              write.cancel()
            }
            await write.value
          }
        }
        if Bool.random(using: &random) { await Task.yield() }
      }
    }
  }

  func startQueue(_ queue: DispatchQueue, _ other: DispatchQueue, seed: UInt64) {
    for step in 0..<20 {
      pending.enter()
      queue.async {
        if let realm = try? Realm(configuration: configuration, queue: queue) {
          var actions = Actions(realm, ledger, pending, seed: seed &* 100 &+ UInt64(step))
          actions.act(other)
          actions.act(other)
        } else {
          ledger.note("a queue could not open its realm")
        }
        pending.leave()
      }
    }
  }

  func startThread(_ queue: DispatchQueue, seed: UInt64) {
    pending.enter()
    Thread {
      let opensSynchronously = { try Realm(configuration: configuration) }
      if let realm = try? opensSynchronously() {
        var actions = Actions(realm, ledger, pending, seed: seed)
        for _ in 0..<25 { actions.act(queue) }
      } else {
        ledger.note("a thread could not open its realm")
      }
      pending.leave()
    }.start()
  }
}

@Suite(.timeLimit(.minutes(10))) struct StressTests {
  private static var seconds: Double {
    ProcessInfo.processInfo.environment["REALM_STRESS_SECONDS"].flatMap(Double.init) ?? 0
  }

  @Test func historiesAreSerialisable() async throws {
    let end = Date() + Self.seconds
    var seed: UInt64 = 1
    repeat {
      try await run(seed: seed)
      seed += 1
    } while Date() < end || seed <= 4
  }

  @MainActor private func run(seed: UInt64) async throws {
    let run = Run()
    let ledger = run.ledger
    let realm = try await Realm(configuration: run.configuration)
    try StressLedger.prepare(realm)
    let queues = (0..<2).map { DispatchQueue(label: "stress \($0)") }
    let entries = Replica<Int>(ledger)
    let rich = Replica<AccountValue>(ledger)
    let elsewhere = Replica<Int>(ledger)
    let richAccounts = realm.objects(StressAccount.self).where { $0.balance > 990 }
      .sorted(byKeyPath: "id")
    let tokens = [
      realm.objects(StressEntry.self).sorted(byKeyPath: "sequence").observe { change in
        entries.apply(change) { $0.sequence }
      },
      richAccounts.observe { change in rich.apply(change, AccountValue.init) },
    ]
    var participants: [Participant] = []
    for number in 0..<3 {
      participants.append(try await Participant(run, seed: seed &* 31 &+ UInt64(number)))
    }
    await participants[0].observe(elsewhere)

    for (number, queue) in queues.enumerated() {
      run.startQueue(queue, queues[1 - number], seed: seed &* 77 &+ UInt64(number))
      run.startThread(queue, seed: seed &* 99 &+ UInt64(number))
    }
    await withTaskGroup(of: Void.self) { group in
      for (number, participant) in participants.enumerated() {
        let queue = queues[number % 2]
        group.addTask {
          await run.runActor(participant, queue, seed: seed &* 13 &+ UInt64(number))
        }
      }
      var actions = Actions(realm, ledger, run.pending, seed: seed)
      for _ in 0..<25 {
        actions.act(queues[0])
        await Task.yield()
      }
    }
    await withCheckedContinuation { continuation in
      run.pending.notify(queue: .global()) { @Sendable in continuation.resume() }
    }

    realm.refresh()
    ledger.audit(realm)
    let count = ledger.inspect(realm)
    let all = Array(0..<count)
    for _ in 0..<15_000 where elsewhere.values != all || entries.values != all {
      try await Task.sleep(for: .milliseconds(2))
    }
    realm.refresh()
    expectEqual(ledger.problems, [], "seed \(seed)")
    expectEqual(entries.values, all, "seed \(seed)")
    expectEqual(elsewhere.values, all, "seed \(seed)")
    expectEqual(rich.values, richAccounts.map(AccountValue.init), "seed \(seed)")
    for participant in participants { await participant.end() }
    for token in tokens { token.invalidate() }
  }
}
