// SPDX-License-Identifier: Apache-2.0

// Devices with random files of a former server go on with another one, in any order and all at
// once, while connections break and devices are closed in the middle.

#if Sync
import Foundation
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

@Suite(.timeLimit(.minutes(10))) struct RandomAdoptionRunTests {
  /// What the objects may be in the end, by their keys.
  private struct Model {
    /// The names that devices had synchronised.
    var shared: [ObjectId: Set<String>] = [:]
    /// The names that devices have written without the former server, by object and device.
    var waiting: [ObjectId: [Int: String]] = [:]

    /// Whether an object is as it may be: what one device alone has changed has its name, what
    /// several have changed the name that one of them gave, and all else a synchronised one.
    func allows(_ name: String, of key: ObjectId) -> Bool {
      if let changed = waiting[key] { return changed.values.contains(name) }
      return shared[key]?.contains(name) ?? false
    }

    var keys: Set<ObjectId> { Set(shared.keys).union(waiting.keys) }
  }

  /// A file that a former server has synchronised.
  private struct Left {
    let path: String
    let number: Int
  }

  private static func contents(_ device: ResetDevice) async -> [ObjectId: String] {
    await device.read { realm in
      Dictionary(uniqueKeysWithValues: realm.objects(Todo.self).map { ($0._id, $0.name) })
    }
  }

  /// Lets devices of the former server write, each of which leaves at another time.
  private func leave(
    _ former: MemoryApp, _ random: inout SeededGenerator, _ model: inout Model
  ) async throws -> [Left] {
    var left: [Left] = []
    for number in 0..<3 {
      let configuration = try await ResetDevice.configuration(former, "former\(number)", .manual())
      let path = try #require(configuration.fileURL).path
      do {
        let device = try await ResetDevice(configuration)
        for _ in 0..<3 { try await write(device, "shared by \(number)", &random) }
        try await device.meet()
        for (key, name) in await Self.contents(device) {
          model.shared[key, default: []].insert(name)
        }
        try await device.session().suspend()
        let before = await Self.contents(device)
        for _ in 0..<random.number(below: 4) {
          try await write(device, "waits at \(number)", &random)
        }
        for (key, name) in await Self.contents(device) where before[key] != name {
          model.waiting[key, default: [:]][number] = name
        }
      }
      try await untilClosed(path)
      left.append(Left(path: path, number: number))
    }
    return left
  }

  /// Makes an object, or changes the name of one.
  private func write(
    _ device: ResetDevice, _ name: String, _ random: inout SeededGenerator
  ) async throws {
    let (choice, index) = (random.number(below: 3), random.number(below: 1_000))
    let text = "\(name), \(index)"
    try await device.change { realm in
      let todos = realm.objects(Todo.self).sorted(by: \._id)
      if choice == 0 || todos.isEmpty {
        realm.add(Todo(value: ["name": text]))
      } else {
        todos[index % todos.count].name = text
      }
    }
  }

  private func untilClosed(_ path: String) async throws {
    for _ in 0..<3_000 {
      if try DatabaseFile.whileClosed(path: path, {}) { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    Issue.record("'\(path)' stays open")
  }

  /// Opens a device of the present server, which adopts its file; it may be closed in the middle.
  private func adopt(
    _ configuration: Realm.Configuration, _ pauses: [Int]
  ) async throws -> ResetDevice {
    for pause in pauses {
      do {
        let device = try await ResetDevice(configuration, .never)
        try await Task.sleep(for: .milliseconds(pause))
        try await device.session().suspend()
      }
      try await untilClosed(try #require(configuration.fileURL).path)
    }
    return try await ResetDevice(configuration, .never)
  }

  private func run(
    _ seed: UInt64, _ mode: SyncMode
  ) async throws -> (contents: [[ObjectId: String]], model: Model) {
    var random = SeededGenerator(seed: seed)
    var model = Model()
    let (former, present) = (try MemoryApp(mode), try MemoryApp(mode))
    let left = try await leave(former, &random, &model)
    let order = left.shuffled(using: &random)
    let pauses = order.map { _ in
      (0..<random.number(below: 3)).map { _ in random.number(below: 40) }
    }
    let isAtOnce = random.percent(60)
    // Users log in before the network breaks.
    var configurations: [Realm.Configuration] = []
    for file in order {
      var configuration = try await ResetDevice.configuration(
        present, "present\(file.number)", .recoverUnsyncedChanges())
      configuration.syncConfiguration?.formerFile = .file(URL(fileURLWithPath: file.path))
      configurations.append(configuration)
    }
    let breaks = Task {
      for _ in 0..<6 {
        try await Task.sleep(for: .milliseconds(15))
        present.server.setOnline(false)
        try await Task.sleep(for: .milliseconds(5))
        present.server.setOnline(true)
      }
    }
    var devices: [ResetDevice] = []
    if isAtOnce {
      devices = try await withThrowingTaskGroup(of: ResetDevice.self) { group in
        for (configuration, pauses) in zip(configurations, pauses) {
          group.addTask { try await self.adopt(configuration, pauses) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
    } else {
      for (configuration, pauses) in zip(configurations, pauses) {
        let device = try await adopt(configuration, pauses)
        try await device.session().reconnect()
        try await device.meet()
        devices.append(device)
      }
    }
    _ = await breaks.result
    for device in devices { try await device.session().reconnect() }
    for device in devices { try await device.meet() }
    for device in devices { try await device.meet() }
    var contents: [[ObjectId: String]] = []
    for device in devices { contents.append(await Self.contents(device)) }
    return (contents, model)
  }

  @Test(arguments: RandomRuns.seeds(5), [SyncMode.flexible, .partition])
  func nothingIsLostAndAllAreEqual(_ seed: UInt64, _ mode: SyncMode) async throws {
    let (contents, model) = try await run(seed, mode)
    #expect(contents.allSatisfy { $0 == contents[0] }, "seed \(seed)")
    expectEqual(Set(contents[0].keys), model.keys, "seed \(seed)")
    for (key, name) in contents[0] {
      expectTrue(model.allows(name, of: key), "seed \(seed): \(key) is '\(name)'")
    }
  }
}
#endif
