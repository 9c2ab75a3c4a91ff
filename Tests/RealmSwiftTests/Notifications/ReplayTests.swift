// SPDX-License-Identifier: Apache-2.0

// Whatever is written, by which writer and in how many transactions: the changes that an observer
// is notified of, applied to what it had, give what there is; and what counts as modified was
// modified.

import Foundation
import RealmSwift
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

/// Keeps a copy of a collection up to date by nothing but the changes.
@MainActor private final class Mirror<Element: Equatable> {
  private(set) var copy: [Element] = []
  private(set) var updateCount = 0
  private var token: NotificationToken?
  private let name: String

  init<C: RealmCollection>(
    _ name: String, _ collection: C, _ read: @escaping (C.Element) -> Element
  ) {
    self.name = name
    token = collection.observe { [weak self] change in
      MainActor.assumeIsolated { self?.apply(change, read) }
    }
  }

  private func apply<C: RealmCollection>(
    _ change: RealmCollectionChange<C>, _ read: (C.Element) -> Element
  ) {
    switch change {
    case .initial(let collection):
      expectTrue(copy.isEmpty)
      copy = collection.map(read)
    case .update(let collection, let deletions, let insertions, let modifications):
      updateCount += 1
      let new = Array(collection.map(read))
      let untouched = copy.indices.filter { !deletions.contains($0) && !modifications.contains($0) }
      let values = untouched.map { copy[$0] }
      var kept = copy.indices.map(Optional.some)
      for index in deletions.reversed() { kept.remove(at: index) }
      for index in insertions { kept.insert(nil, at: index) }
      expectEqual(kept.count, new.count, "\(name)")
      guard kept.count == new.count else { return }
      // Elements that are neither new nor modified are what they were.
      let stayed = kept.indices.filter { place in
        kept[place].map { !modifications.contains($0) } ?? false
      }
      expectEqual(stayed.map { new[$0] }, values, "\(name)")
      copy = new
    case .error(let error): Issue.record(error)
    }
  }

  func stop() { token?.invalidate() }
}

/// What is compared of a task: everything that an observer of it hears of.
private struct TaskValue: Equatable, Sendable {
  let id: Int
  let name: String
  let priority: Int
  let owner: String?

  init(_ task: AsyncTask) {
    (id, name, priority) = (task.id, task.name, task.priority)
    owner = task.owner?.name
  }
}

/// Random changes of tasks and of one owner's lists.
private struct Changes: Sendable {
  var random: SeededGenerator

  mutating func write(to realm: Realm) {
    for _ in 0..<Int.random(in: 1...6, using: &random) { change(realm) }
  }

  private mutating func change(_ realm: Realm) {
    let tasks = realm.objects(AsyncTask.self)
    let id = Int.random(in: 0..<40, using: &random)
    let priority = Int.random(in: 0..<6, using: &random)
    guard let owner = realm.objects(AsyncOwner.self).first else { return }
    let task = tasks.randomElement(using: &random)
    let list = owner.tasks
    switch Int.random(in: 0..<12, using: &random) {
    case 0, 1, 2:
      realm.create(
        AsyncTask.self, value: ["id": id, "name": "\(priority)", "priority": priority],
        update: .modified)
    case 3: if let task { realm.delete(task) }
    case 4: task?.priority = priority
    case 5: task?.name = "\(priority)"
    case 6: task?.owner = priority < 3 ? owner : nil
    case 7: owner.name = "owner \(priority)"
    case 8:
      if let task {
        list.insert(task, at: Int.random(in: 0...list.count, using: &random))
      }
    case 9:
      if !list.isEmpty { list.remove(at: Int.random(in: 0..<list.count, using: &random)) }
    case 10:
      if list.count > 1 {
        list.move(from: Int.random(in: 0..<list.count, using: &random), to: 0)
      }
    default:
      let numbers = owner.numbers
      if numbers.count > 5 || (!numbers.isEmpty && Bool.random(using: &random)) {
        numbers.remove(at: Int.random(in: 0..<numbers.count, using: &random))
      } else {
        numbers.append(priority)
      }
    }
  }
}

@MainActor @Suite struct ReplayTests {
  @Test(.heavy, arguments: RandomRuns.seeds(12))
  func theChangesGiveTheCollection(seed: UInt64) async throws {
    let configuration = freshConfiguration()
    let realm = try await Realm(configuration: configuration)
    let owner = try realm.write {
      realm.create(AsyncOwner.self, value: ["name": "owner"])
    }
    let tasks = realm.objects(AsyncTask.self)
    let urgent = tasks.where { $0.priority > 2 }
    let byOwner = tasks.where { $0.owner.name == "owner 3" || $0.priority == 1 }
    let distinct = tasks.sorted(byKeyPath: "name").distinct(by: ["priority"])
    let first = urgent.sorted(byKeyPath: "name").limit(5)
    let page = tasks.offset(3).limit(4).where { $0.priority > 0 }
    let listNames = owner.tasks.distinct(by: ["name"]).limit(3)
    let mirrors = [
      Mirror("all", tasks, TaskValue.init),
      Mirror("filtered", urgent, TaskValue.init),
      Mirror("sorted", tasks.sorted(byKeyPath: "name", ascending: false), TaskValue.init),
      Mirror("both", urgent.sorted(byKeyPath: "priority"), TaskValue.init),
      Mirror("by link", byOwner, TaskValue.init),
      Mirror("list", owner.tasks, TaskValue.init),
      Mirror("refined list", owner.tasks.where { $0.priority < 4 }, TaskValue.init),
      Mirror("sorted list", owner.tasks.sorted(byKeyPath: "id"), TaskValue.init),
      Mirror("backlinks", owner.owned, TaskValue.init),
      Mirror("distinct", distinct, TaskValue.init),
      Mirror("first of a sort", first, TaskValue.init),
      Mirror("page", page, TaskValue.init),
      Mirror("names of a list", listNames, TaskValue.init),
    ]
    let numbers = Mirror("numbers", owner.numbers) { $0 }
    let sortedNumbers = Mirror("sorted numbers", owner.numbers.sorted(ascending: false)) { $0 }

    try await change(realm, configuration, seed)
    try await Task.sleep(for: .milliseconds(20))
    realm.refresh()

    expectEqual(mirrors[0].copy, tasks.map(TaskValue.init))
    expectEqual(mirrors[1].copy, urgent.map(TaskValue.init))
    expectEqual(
      mirrors[2].copy, tasks.sorted(byKeyPath: "name", ascending: false).map(TaskValue.init))
    expectEqual(mirrors[3].copy, urgent.sorted(byKeyPath: "priority").map(TaskValue.init))
    expectEqual(mirrors[4].copy, byOwner.map(TaskValue.init))
    expectEqual(mirrors[5].copy, owner.tasks.map(TaskValue.init))
    expectEqual(mirrors[6].copy, owner.tasks.where { $0.priority < 4 }.map(TaskValue.init))
    expectEqual(mirrors[7].copy, owner.tasks.sorted(byKeyPath: "id").map(TaskValue.init))
    expectEqual(mirrors[8].copy, owner.owned.map(TaskValue.init))
    expectEqual(mirrors[9].copy, distinct.map(TaskValue.init))
    expectEqual(mirrors[10].copy, first.map(TaskValue.init))
    expectEqual(mirrors[11].copy, page.map(TaskValue.init))
    expectEqual(mirrors[12].copy, listNames.map(TaskValue.init))
    expectEqual(numbers.copy, Array(owner.numbers))
    expectEqual(sortedNumbers.copy, owner.numbers.sorted(by: >))
    expectTrue(mirrors[0].updateCount > 5)
    for mirror in mirrors { mirror.stop() }
    numbers.stop()
    sortedNumbers.stop()
  }

  /// Sixty transactions, here and elsewhere.
  private func change(
    _ realm: Realm, _ configuration: Realm.Configuration, _ seed: UInt64
  ) async throws {
    var random = SeededGenerator(seed: seed)
    for round in 0..<60 {
      let changes = Changes(random: SeededGenerator(seed: seed &* 1000 &+ UInt64(round)))
      switch Int.random(in: 0..<5, using: &random) {
      case 0, 1:
        var changes = changes
        try realm.write { changes.write(to: realm) }
      case 2:
        var changes = changes
        try await realm.asyncWrite { changes.write(to: realm) }
      default:
        try await writeElsewhere(configuration) { realm in
          var changes = changes
          changes.write(to: realm)
        }
      }
      if Int.random(in: 0..<3, using: &random) == 0 { await Task.yield() }
      if Int.random(in: 0..<8, using: &random) == 0 { realm.refresh() }
    }
  }
}
