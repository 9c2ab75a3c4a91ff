// SPDX-License-Identifier: Apache-2.0

// The openings that `@AsyncOpen` and `@AutoOpen` show: the part of them that needs no SwiftUI.

#if Sync && (canImport(Combine) || OpenCombine)
import Foundation
import RealmSwiftTestSupport
import RealmSyncProtocol
import TestExtensions
import Testing

@testable import RealmSwift

@MainActor @Suite(.timeLimit(.minutes(10))) struct AsyncOpenModelTests {
  /// Waits until the opening has ended.
  private func outcome(_ model: AsyncOpenModel) async throws -> String {
    for _ in 0..<6_000 {
      switch model.state {
      case .open(let realm):
        return realm.configuration.syncConfiguration?.user.id ?? "a realm of this device"
      case .error: return "error"
      default: try await Task.sleep(for: .milliseconds(10))
      }
    }
    return "\(model.state)"
  }

  /// With one class: those of the program are those of all tests.
  private func withOneClass(_ configuration: Realm.Configuration) -> Realm.Configuration {
    var configuration = configuration
    configuration.objectTypes = [Todo.self]
    return configuration
  }

  private func text(_ model: AsyncOpenModel) -> String { "\(model.state)" }

  @Test func theRealmOfTheUserIsOpened() async throws {
    let app = try MemoryApp().device("first")
    let user = try await app.login(credentials: .anonymous)
    let model = AsyncOpenModel(
      app, .async, withOneClass(user.flexibleSyncConfiguration()), nil)
    expectEqual(text(model), "connecting")
    model.begin()
    model.begin()
    try await expectEqual(outcome(model), user.id)
  }

  @Test func thePartitionIsThatOfTheDeclarationOrOfTheEnvironment() async throws {
    let app = try MemoryApp(.partition).device("first")
    let user = try await app.login(credentials: .anonymous)
    for (declared, environment) in [("a", nil), ("a", "b"), (nil, "b")] as [(String?, String?)] {
      let configuration = user.configuration(partitionValue: environment ?? declared ?? "")
      let model = AsyncOpenModel(
        app, .auto, withOneClass(configuration), declared.map { .string($0) })
      model.take(environment.map { .string($0) }, nil)
      model.begin()
      _ = try await outcome(model)
      guard case .open(let realm) = model.state else { return expectEqual(text(model), "open") }
      expectEqual(
        realm.configuration.syncConfiguration?.partitionValue,
        .string(environment ?? declared ?? ""))
    }
  }

  @Test func withoutAUserItWaitsForOne() async throws {
    let app = try MemoryApp().device("first")
    let model = AsyncOpenModel(app, .async, nil, nil)
    expectEqual(text(model), "waitingForUser")
    model.begin()
    expectEqual(text(model), "waitingForUser")
  }

  @Test func theNextUserHasTheirRealmOpened() async throws {
    let app = try MemoryApp().device("first")
    let user = try await app.login(credentials: .anonymous)
    let model = AsyncOpenModel(
      app, .async, withOneClass(user.flexibleSyncConfiguration()), nil)
    model.begin()
    try await expectEqual(outcome(model), user.id)
    try await user.logOut()
    for _ in 0..<6_000 where text(model) != "waitingForUser" {
      try await Task.sleep(for: .milliseconds(10))
    }
    expectEqual(text(model), "waitingForUser")
    let next = try await app.login(credentials: .anonymous)
    expectFalse(next == user)
    try await expectEqual(outcome(model), next.id)
    // After its end it hears of nobody.
    model.cancel()
    try await next.logOut()
    try await Task.sleep(for: .milliseconds(100))
    try await expectEqual(outcome(model), next.id)
  }

  @Test func whatIsCancelledTellsNoMore() async throws {
    let app = try MemoryApp().device("first")
    _ = try await app.login(credentials: .anonymous)
    let model = AsyncOpenModel(app, .async, nil, nil)
    model.begin()
    model.cancel()
    try await Task.sleep(for: .milliseconds(200))
    expectEqual(text(model), "connecting")
  }

  @Test func theTimeoutIsThatOfLaterConnections() throws {
    let device = try MemoryApp().device("first")
    expectTrue(AppCore.all.contains { $0 === device.core })
    let app = AsyncOpenModel.app("of a timeout", timeout: 3_000)
    expectEqual(app.appId, "of a timeout")
    expectEqual(app.syncManager.timeoutOptions.connectTimeout, 3_000)
  }

  @Test func withSeveralAppsOneIsToBeNamed() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = App(id: "first")
      await MainActor.run {
        precondition(AsyncOpenModel.app(nil, timeout: nil).appId == "first")
        _ = App(id: "second")
        _ = AsyncOpenModel.app(nil, timeout: nil)
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    expectTrue(text.contains("because more than one appId was found."))
  }
}
#endif
