// SPDX-License-Identifier: Apache-2.0

// Files that one server has synchronised go on with another one, over real sockets.

#if Server
import Foundation
import RealmStorage
import RealmSwift
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerKit

@Suite(.timeLimit(.minutes(10))) struct MovingTests {
  /// Lets a device of a former server write, half of it without the server.
  ///
  /// - Returns: The path of its file, which is closed.
  @MainActor private func leave(
    _ server: RunningServer, _ name: String, _ shared: [String], waiting: [String],
    _ partition: String
  ) async throws -> String {
    let device = try await AppDevice(server, name)
    let configuration = device.configuration(partition)
    do {
      let realm = try await Realm(
        configuration: configuration, actor: MainActor.shared, downloadBeforeOpen: .always)
      for text in shared {
        try await realm.asyncWrite { realm.add(Todo(value: ["name": text])) }
      }
      try await realm.syncSession?.wait(for: .upload)
      try await realm.syncSession?.wait(for: .download)
      realm.syncSession?.suspend()
      for text in waiting {
        try await realm.asyncWrite { realm.add(Todo(value: ["name": text])) }
      }
    }
    let path = try #require(configuration.fileURL).path
    for _ in 0..<3_000 {
      if try DatabaseFile.whileClosed(path: path, {}) { return path }
      try await Task.sleep(for: .milliseconds(20))
    }
    return path
  }

  @MainActor private func open(
    _ device: AppDevice, after path: String, _ partition: String
  ) async throws -> Realm {
    var configuration = device.configuration(partition)
    configuration.syncConfiguration?.formerFile = .file(URL(fileURLWithPath: path))
    return try await Realm(
      configuration: configuration, actor: MainActor.shared, downloadBeforeOpen: .always)
  }

  @MainActor private func waitForNames(_ names: [String], in realm: Realm) async throws {
    func now() -> [String] { realm.objects(Todo.self).map(\.name).sorted() }
    for _ in 0..<3_000 where now() != names {
      await realm.asyncRefresh()
      try await Task.sleep(for: .milliseconds(20))
    }
    expectEqual(now(), names)
  }

  @Test @MainActor func twoDevicesMoveToAnotherServer() async throws {
    let former = try await RunningServer()
    let one = try await leave(former, "one", ["a"], waiting: ["one waits"], "home")
    let two = try await leave(former, "two", ["b"], waiting: ["two waits"], "home")
    try await former.stop()
    let server = try await RunningServer()
    let devices = [try await AppDevice(server, "one"), try await AppDevice(server, "two")]
    let first = try await open(devices[0], after: one, "home")
    let second = try await open(devices[1], after: two, "home")
    for realm in [first, second] {
      try await waitForNames(["a", "b", "one waits", "two waits"], in: realm)
    }
    try await second.asyncWrite { second.add(Todo(value: ["name": "later"])) }
    try await waitForNames(["a", "b", "later", "one waits", "two waits"], in: first)
    #expect(devices.allSatisfy { $0.errors.withLock { $0.isEmpty } })
    try await server.stop()
  }

  /// What the rules refuse is taken off the device and reported, and is still in the former file.
  @Test @MainActor func whatRulesRefuseIsReported() async throws {
    let former = try await RunningServer()
    let path = try await leave(former, "one", ["a"], waiting: ["b"], "public")
    try await former.stop()
    let server = try await RunningServer(file: PermissionTests.rules)
    let device = try await AppDevice(server, "one")
    let realm = try await open(device, after: path, "public")
    let refusal = try await device.error()
    expectEqual(refusal.code, .writeRejected, "\(refusal)")
    try await waitForNames([], in: realm)
    let reported = device.errors.withLock { $0.flatMap { $0.compensatingWriteInfo ?? [] } }
    #expect(reported.allSatisfy { $0.objectType == "Todo" })
    let kept = try await Realm(
      configuration: Realm.Configuration(
        fileURL: URL(fileURLWithPath: path + ".adopted"), readOnly: true,
        objectTypes: [Todo.self]), actor: MainActor.shared)
    expectEqual(kept.objects(Todo.self).map(\.name).sorted(), ["a", "b"])
    expectEqual(
      Set(reported.map(\.primaryKey)),
      Set(kept.objects(Todo.self).map { AnyRealmValue.objectId($0._id) }))
    try await server.stop()
  }
}
#endif
