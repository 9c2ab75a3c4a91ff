// SPDX-License-Identifier: Apache-2.0

// The costs of confinement to an actor: the check of each access, opening, writing, notifications.

import Foundation
import RealmSwift

/// An actor with a realm.
actor Owner {
  private var realm: Realm?
  private var todo: WatchedTodo?
  private var token: NotificationToken?
  private var called: CheckedContinuation<ContinuousClock.Instant, Never>?

  func open(_ configuration: Realm.Configuration) async throws {
    let realm = try await Realm(configuration: configuration, actor: self)
    self.realm = realm
    todo = realm.objects(WatchedTodo.self).first
  }

  /// Reads of a property.
  func reads(_ count: Int) -> (Duration, Int) {
    guard let todo else { return (.zero, 0) }
    return readPriority(of: todo, count)
  }

  /// Opens of the realm that is open.
  func opens(_ count: Int, _ configuration: Realm.Configuration) async throws -> Duration {
    let start = ContinuousClock.now
    for _ in 0..<count { _ = try await Realm(configuration: configuration, actor: self) }
    return start.duration(to: .now)
  }

  /// Transactions that set one property.
  func writes(_ count: Int) async throws -> Duration {
    guard let realm, let todo else { return .zero }
    let start = ContinuousClock.now
    for number in 0..<count { try await realm.asyncWrite { todo.priority = number } }
    return start.duration(to: .now)
  }

  /// From the end of a commit on this actor to an observer on `listener`.
  func hops(_ count: Int, to listener: Listener) async throws -> Samples {
    guard let realm, let todo else { return Samples() }
    let token = await todo.observe(on: listener) { listener, _ in listener.hear() }
    var samples = Samples()
    for number in 0..<count {
      async let heard = listener.next()
      try realm.write { todo.priority = number }
      let returned = ContinuousClock.now
      samples.add(returned.duration(to: await heard))
    }
    token.invalidate()
    return samples
  }
}

/// An actor that is notified.
actor Listener {
  private var waiting: CheckedContinuation<ContinuousClock.Instant, Never>?
  private var heard: ContinuousClock.Instant?

  func hear() {
    let now = ContinuousClock.now
    if let waiting {
      self.waiting = nil
      waiting.resume(returning: now)
    } else {
      heard = now
    }
  }

  func next() async -> ContinuousClock.Instant {
    if let heard {
      self.heard = nil
      return heard
    }
    return await withCheckedContinuation { waiting = $0 }
  }
}

/// An actor with a realm and a thread of its own.
actor ThreadOwner {
  private let executor = RealmThreadExecutor(name: "benchmark")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func reads(_ count: Int, _ configuration: Realm.Configuration) async throws -> (Duration, Int) {
    let realm = try await Realm(configuration: configuration, actor: self)
    guard let todo = realm.objects(WatchedTodo.self).first else { return (.zero, 0) }
    return readPriority(of: todo, count)
  }
}

/// Reads a property again and again; a function of its own, so that all confinements run the same.
@inline(never)
func readPriority(of todo: WatchedTodo, _ count: Int) -> (Duration, Int) {
  let start = ContinuousClock.now
  var sum = 0
  for _ in 0..<count { sum &+= todo.priority }
  return (start.duration(to: .now), sum)
}
