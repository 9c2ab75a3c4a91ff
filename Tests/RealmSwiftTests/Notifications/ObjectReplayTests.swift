// SPDX-License-Identifier: Apache-2.0

// Whatever is written, by which writer and in how many transactions: an observer of an object is
// notified of the difference of the two versions, and of what was set to the value it had.

import Foundation
import RealmSwift
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

/// The properties of a task that scripts set.
private struct TaskState: Equatable, Sendable {
  var name: String
  var priority: Int
  var owner: String?

  /// The values by the names of the properties, as text.
  var values: [String: String] {
    ["name": name, "priority": "\(priority)", "owner": owner ?? "nil"]
  }
}

/// Assignments to one task.
private enum Assignment: Sendable {
  case name(String)
  case priority(Int)
  case owner(String?)

  var property: String {
    switch self {
    case .name: "name"
    case .priority: "priority"
    case .owner: "owner"
    }
  }

  static func random(_ random: inout SeededGenerator, _ state: TaskState) -> Assignment {
    // Often the value that is there.
    let repeats = Bool.random(using: &random)
    switch Int.random(in: 0..<3, using: &random) {
    case 0: return .name(repeats ? state.name : "name \(Int.random(in: 0..<3, using: &random))")
    case 1: return .priority(repeats ? state.priority : Int.random(in: 0..<3, using: &random))
    default:
      let owners: [String?] = ["Ann", "Bob", nil]
      return .owner(repeats ? state.owner : owners.randomElement(using: &random) ?? nil)
    }
  }

  func apply(to state: inout TaskState) {
    switch self {
    case .name(let name): state.name = name
    case .priority(let priority): state.priority = priority
    case .owner(let owner): state.owner = owner
    }
  }

  func apply(to task: AsyncTask, in realm: Realm) {
    switch self {
    case .name(let name): task.name = name
    case .priority(let priority): task.priority = priority
    case .owner(let owner):
      task.owner = realm.objects(AsyncOwner.self).where { $0.name == (owner ?? "") }.first
    }
  }
}

/// One changed property that an observer was notified of.
private struct ToldProperty: Equatable, Sendable {
  let name: String
  let old: String?
  let new: String

  init(_ change: PropertyChange) {
    func text(_ value: Any?) -> String? {
      value.map { ($0 as? AsyncOwner).map(\.name) ?? "\($0)" }
    }
    name = change.name
    old = text(change.oldValue)
    new = text(change.newValue) ?? "nil"
  }
}

@MainActor @Suite(.timeLimit(.minutes(10))) struct ObjectReplayTests {
  @Test(arguments: RandomRuns.seeds(6))
  func whatIsToldIsTheDifferenceAndWhatWasSet(seed: UInt64) async throws {
    let configuration = freshConfiguration()
    let realm = try await Realm(configuration: configuration)
    realm.autorefresh = false
    let tasks = try realm.write { () -> [AsyncTask] in
      for name in ["Ann", "Bob"] { realm.create(AsyncOwner.self, value: ["name": name]) }
      return (0..<3).map { realm.create(AsyncTask.self, value: ["id": $0, "name": "name 0"]) }
    }
    var told: [Int: [ToldProperty]] = [:]
    let tokens = tasks.map { task in
      let id = task.id
      return task.observe { (change: ObjectChange<AsyncTask>) in
        MainActor.assumeIsolated {
          guard case .change(_, let properties) = change else { return }
          expectEqual(told[id], nil, "one call for all that happened")
          told[id] = properties.map(ToldProperty.init)
        }
      }
    }
    var random = SeededGenerator(seed: seed)
    var states = tasks.map { TaskState(name: $0.name, priority: $0.priority, owner: nil) }
    for round in 0..<40 {
      let before = states
      var touched: [Int: Set<String>] = [:]
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        var script: [(id: Int, Assignment)] = []
        for _ in 0..<Int.random(in: 0...3, using: &random) {
          let id = Int.random(in: 0..<tasks.count, using: &random)
          let assignment = Assignment.random(&random, states[id])
          assignment.apply(to: &states[id])
          touched[id, default: []].insert(assignment.property)
          script.append((id, assignment))
        }
        let steps = script
        try await writeElsewhere(configuration) { realm in
          for (id, assignment) in steps {
            guard let task = realm.object(ofType: AsyncTask.self, forPrimaryKey: id) else { return }
            assignment.apply(to: task, in: realm)
          }
        }
      }
      told = [:]
      realm.refresh()
      let place = "seed \(seed), round \(round)"
      expectEqual(Set(told.keys), Set(touched.keys), "\(place)")
      for (id, properties) in told {
        // Everything that differs was set, so this is the difference and what was set besides.
        expectEqual(Set(properties.map(\.name)), touched[id], "\(place)")
        expectEqual(properties.count, touched[id]?.count, "\(place)")
        for property in properties {
          let old = before[id].values[property.name] ?? ""
          expectEqual((property.old ?? "nil"), old, "\(place), \(property.name)")
          expectEqual(property.new, states[id].values[property.name], "\(place), \(property.name)")
        }
        #expect(
          before[id].values.filter { $0.value != states[id].values[$0.key] }.keys
            .allSatisfy { touched[id]?.contains($0) == true })
      }
    }
    for token in tokens { token.invalidate() }
  }
}
