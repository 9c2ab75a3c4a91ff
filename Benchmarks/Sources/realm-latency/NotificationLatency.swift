// SPDX-License-Identifier: Apache-2.0

// How long it takes from a commit to the callback that reports it, with the collection at hand.

import Foundation
import RealmSwift
import Synchronization

/// One kind of observer over a table of some size.
@MainActor
final class NotificationLatency {
  enum Observer: String, CaseIterable {
    case table = "whole table"
    case filtered = "filtered, a quarter"
    case sorted = "sorted, all"
    case both = "filtered and sorted"
    case limited = "sorted, first 100"
    case distinct = "distinct, 1,000 values"
    case sectioned = "sorted, in 10 sections"
  }

  /// What else observes the realm, and is not concerned.
  enum Bystanders: String, CaseIterable {
    case otherClass = "1,000 observers of another class"
    case otherObjects = "1,000 observers of other objects"
    case otherResults = "1,000 results without the row"
  }

  struct Times {
    var fromCommit = Samples()
    var fromReturn = Samples()
  }

  private let configuration = freshConfiguration()
  private let realm: Realm
  private let rowCount: Int
  /// The one row that is changed, where most rows do not concern the observer.
  private var onlyRow: Int?
  private var continuation: CheckedContinuation<ContinuousClock.Instant, Never>?
  private var early: ContinuousClock.Instant?
  private var tokens: [NotificationToken] = []

  init(rows: Int) async throws {
    rowCount = rows
    realm = try await Realm(configuration: configuration)
    try insertRows(rows, into: realm)
  }

  func stop() {
    for token in tokens { token.invalidate() }
    tokens = []
  }

  func observe(_ observer: Observer) async {
    let all = realm.objects(WatchedTodo.self)
    onlyRow =
      switch observer {
      case .limited: 1000 % rowCount
      case .distinct: 0
      default: nil
      }
    if observer == .sectioned {
      tokens.append(
        all.sectioned(by: { $0.priority / 100 }, sortDescriptors: ["priority"])
          .observe { [weak self] change in
            MainActor.assumeIsolated { self?.called(change) }
          })
      _ = await nextCall()
      return
    }
    let results =
      switch observer {
      case .table: all
      case .filtered: all.where { $0.priority < 250 }
      case .sorted: all.sorted(byKeyPath: "priority")
      case .both: all.where { $0.priority < 250 }.sorted(byKeyPath: "name")
      case .limited: all.sorted(byKeyPath: "priority").limit(100)
      case .distinct: all.distinct(by: ["priority"])
      case .sectioned: all
      }
    tokens.append(
      results.observe { [weak self] change in
        MainActor.assumeIsolated { self?.called(change) }
      })
    _ = await nextCall()
  }

  func add(_ bystanders: Bystanders) async throws {
    let all = realm.objects(WatchedTodo.self)
    for number in 0..<1000 {
      switch bystanders {
      case .otherClass:
        tokens.append(realm.objects(OtherTodo.self).where { $0.id >= number }.observe { _ in })
      case .otherObjects:
        guard let todo = realm.object(ofType: WatchedTodo.self, forPrimaryKey: number) else {
          continue
        }
        tokens.append(todo.observe { (_: ObjectChange<WatchedTodo>) in })
      case .otherResults:
        tokens.append(all.where { $0.id == number }.observe { _ in })
      }
    }
    // The first calls are over when a later change has come.
    for _ in 0..<5 { _ = try await ownWrite(rowCount - 1) }
  }

  /// Writes of this realm, or of one on another thread.
  func measure(_ count: Int, elsewhere: Bool) async throws -> Times {
    var times = Times()
    let writer = elsewhere ? Writer(configuration) : nil
    for round in 0..<count {
      // Beyond the rows that bystanders read.
      let id = onlyRow ?? 1000 % rowCount + (round &* 7919) % max(1, rowCount - 1000)
      let (began, returned, called) =
        if let writer { try await foreignWrite(id, writer) } else { try await ownWrite(id) }
      guard round >= count / 10 else { continue }
      times.fromCommit.add(began.duration(to: called))
      times.fromReturn.add(returned.duration(to: called))
    }
    return times
  }

  typealias Moments = (
    began: ContinuousClock.Instant, returned: ContinuousClock.Instant,
    called: ContinuousClock.Instant
  )

  private func ownWrite(_ id: Int) async throws -> Moments {
    realm.beginWrite()
    WatchedTodo.change(id, in: realm)
    let began = ContinuousClock.now
    try realm.commitWrite()
    let returned = ContinuousClock.now
    return (began, returned, await nextCall())
  }

  private func foreignWrite(_ id: Int, _ writer: Writer) async throws -> Moments {
    async let written = writer.write(id)
    let called = await nextCall()
    let (began, returned) = try await written
    return (began, returned, called)
  }

  /// Looks at the collection as an app would: at its size, and at what changed.
  private func called(_ change: RealmCollectionChange<Results<WatchedTodo>>) {
    switch change {
    case .initial(let todos):
      precondition(todos.count >= 0)
    case .update(let todos, _, let insertions, let modifications):
      for index in insertions + modifications where index < todos.count {
        precondition(todos[index].id >= 0)
      }
    case .error(let error): fatalError("\(error)")
    }
    heard()
  }

  private func called(_ change: SectionedResultsChange<SectionedResults<Int, WatchedTodo>>) {
    switch change {
    case .initial(let sections): precondition(sections.count >= 0)
    case .update(let sections, _, let insertions, let modifications, _, _):
      for path in insertions + modifications where path[0] < sections.count {
        precondition(path[1] >= sections[path[0]].count || sections[path].id >= 0)
      }
    }
    heard()
  }

  private func heard() {
    let now = ContinuousClock.now
    if let continuation {
      self.continuation = nil
      continuation.resume(returning: now)
    } else {
      early = now
    }
  }

  private func nextCall() async -> ContinuousClock.Instant {
    if let early {
      self.early = nil
      return early
    }
    return await withCheckedContinuation { continuation = $0 }
  }
}

extension WatchedTodo {
  /// Moves the row in and out of the filter, and to another place of the order.
  static func change(_ id: Int, in realm: Realm) {
    guard let todo = realm.object(ofType: WatchedTodo.self, forPrimaryKey: id) else { return }
    // Alternately, so that each observer has something to hear of every time.
    todo.priority = todo.priority < 250 ? todo.priority + 250 : todo.priority % 250
  }
}

/// A realm on a queue of its own.
private final class Writer: Sendable {
  private let queue = DispatchQueue(label: "writer")
  private let configuration: Realm.Configuration
  private let kept = Mutex<Kept?>(nil)

  private struct Kept: @unchecked Sendable {
    // Sendable: used on the queue only.
    let realm: Realm
  }

  init(_ configuration: Realm.Configuration) { self.configuration = configuration }

  func write(
    _ id: Int
  ) async throws -> (began: ContinuousClock.Instant, returned: ContinuousClock.Instant) {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { [self] in
        continuation.resume(
          with: Result {
            let realm =
              try kept.withLock { $0 }?.realm
              ?? Realm(configuration: configuration, queue: queue)
            kept.withLock { $0 = Kept(realm: realm) }
            realm.beginWrite()
            WatchedTodo.change(id, in: realm)
            let began = ContinuousClock.now
            try realm.commitWrite()
            return (began, ContinuousClock.now)
          })
      }
    }
  }
}
