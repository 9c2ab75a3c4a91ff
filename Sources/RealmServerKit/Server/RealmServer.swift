// SPDX-License-Identifier: Apache-2.0

// The server for programs of others, and for the program realm-server.
//
// Invariants:
// 1. A server runs once. Tasks in wait for its address get it, or the reason of its end.

#if Server
package import CoreMetrics
public import Logging
import Metrics
import NIOConcurrencyHelpers
package import RealmServerEngine
import RealmServerServices
public import ServiceLifecycle

/// A server of apps with device sync, inside a program or a test.
///
/// ```swift
/// var app = AppDefinition("todos", settings: AppSettings(), classes: [Todo.self])
/// app.function("sum") { (call, a: Int, b: Int) in a + b }
/// let server = try RealmServer(.init(folder: "./data", port: 9090), apps: [app])
/// try await server.run()
/// ```
///
/// It is a `Service` of swift-service-lifecycle, logs with swift-log, counts with
/// swift-metrics, and traces with swift-distributed-tracing:
///
/// | span | |
/// | --- | --- |
/// | `realm.http` | a request, as a part of the client's trace if it names one |
/// | `realm.function`, `realm.login` | code of the app |
/// | `realm.sync.bind`, `realm.sync.query` | the beginning of a session, another query |
/// | `realm.sync.upload` | the integration of an upload, until it is durable |
/// | `realm.sync.download` | the making of a download |
///
/// The folder has one server at a time. When the server ends, its sessions end, and devices come
/// back to the next one.
public final class RealmServer: Service, Sendable {
  private enum Phase {
    case idle
    case starting
    case running(String)
    case ended(any Error)
  }

  private struct State {
    var phase = Phase.idle
    var waiters: [Int: CheckedContinuation<String, any Error>] = [:]
    var lastWaiter = 0
  }

  let program: ServerProgram
  private let state = NIOLockedValueBox(State())

  /// Opens the folder of a server, and completes it.
  ///
  /// - Parameters:
  ///   - configuration: The folder, the place in the network, and limits.
  ///   - apps: The apps in Swift. Others that the folder has are served, too.
  ///   - logger: The log of the server.
  /// - Throws: `ServerFailure`.
  public convenience init(
    _ configuration: RealmServerConfiguration, apps: [AppDefinition] = [],
    logger: Logger = Logger(label: "realm-server")
  ) throws {
    let reports = AppDefinition.Reports(
      logger: logger, tracing: ServerTracing(tracer: configuration.tracer))
    var code: [String: AppCode] = [:]
    for app in apps {
      guard code[app.id] == nil else {
        throw ServerFailure("The program defines the app \(app.id) twice.")
      }
      code[app.id] = try app.code(reports)
    }
    self.init(
      try ServerProgram(
        configuration.options(), metrics: configuration.metrics ?? MetricsSystem.factory,
        metricsText: configuration.metricsText, logger: logger, code: ProgramCode(apps: code),
        in: ServerProgram.Environment(
          clock: configuration.clock, tracing: reports.tracing,
          nodes: configuration.nodeDirectory),
        prepare: { (directory) throws(ServerFailure) in
          for app in apps { try app.prepare(directory) }
        }))
  }

  /// Opens the folder of a server with the options of the program realm-server.
  package convenience init(
    _ options: ServerOptions, metrics: any MetricsFactory, logger: Logger, clock: ServerClock
  ) throws(ServerFailure) {
    self.init(
      try ServerProgram(
        options, metrics: metrics, logger: logger, in: ServerProgram.Environment(clock: clock)))
  }

  init(_ program: ServerProgram) { self.program = program }

  // MARK: Running

  /// Runs until a graceful shutdown or the end of the task; then ends all sessions and gives the
  /// folder up.
  ///
  /// - Throws: `ServerFailure` if the server cannot listen, or has run before.
  public func run() async throws {
    try begin()
    do {
      try await program.run { [weak self] address in self?.didStart(address) }
      end(ServerFailure("The server has ended."))
    } catch {
      end(error)
      throw error
    }
  }

  /// Runs while a closure does, with the address of the server; then shuts down.
  ///
  /// ```swift
  /// try await RealmServer(.init(folder: folder, port: 0), apps: [app]).run { address in
  ///   let client = App(id: "todos", configuration: AppConfiguration(baseURL: address))
  ///   …
  /// }
  /// ```
  ///
  /// - Returns: The result of the closure, once the server has ended.
  public func run<Result>(
    isolation: isolated (any Actor)? = #isolation,
    while body: (_ address: String) async throws -> Result
  ) async throws -> Result {
    let running = Task { try await run() }
    return try await withTaskCancellationHandler {
      let outcome: Swift.Result<Result, any Error>
      do {
        outcome = .success(try await body(try await address))
      } catch {
        outcome = .failure(error)
      }
      running.cancel()
      try await running.value
      return try outcome.get()
    } onCancel: {
      running.cancel()
    }
  }

  /// The address for clients, like `http://127.0.0.1:9090`, once the server listens.
  ///
  /// - Throws: The error with which the server has ended, `ServerFailure` if it has ended without
  ///   one, or `CancellationError`.
  public var address: String {
    get async throws {
      let number = state.withLockedValue { state in
        state.lastWaiter += 1
        return state.lastWaiter
      }
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          let known = state.withLockedValue { state -> Result<String, any Error>? in
            switch state.phase {
            case .running(let address): return .success(address)
            case .ended(let error): return .failure(error)
            case .idle, .starting:
              guard !Task.isCancelled else { return .failure(CancellationError()) }
              state.waiters[number] = continuation
              return nil
            }
          }
          if let known { continuation.resume(with: known) }
        }
      } onCancel: {
        let waiter = state.withLockedValue { $0.waiters.removeValue(forKey: number) }
        waiter?.resume(throwing: CancellationError())
      }
    }
  }

  /// Reads the certificates and the files of all apps again, as realm-server does at SIGHUP.
  ///
  /// - Returns: A line for each app, with the reason where nothing of it is changed.
  @discardableResult
  public func reload() async -> [String] { await program.reload().map(\.text) }

  /// The text with which realm-server greets: the addresses for the apps.
  package func greeting(_ address: String) -> String { program.greeting(address) }

  /// Whether the server has ended: another one may have its folder.
  var hasEnded: Bool {
    state.withLockedValue { if case .ended = $0.phase { true } else { false } }
  }

  private func begin() throws(ServerFailure) {
    let isIdle = state.withLockedValue { state in
      guard case .idle = state.phase else { return false }
      state.phase = .starting
      return true
    }
    guard isIdle else { throw ServerFailure("A server runs once. Make another one.") }
  }

  private func didStart(_ address: String) {
    let waiters = state.withLockedValue { state in
      state.phase = .running(address)
      defer { state.waiters = [:] }
      return state.waiters.values
    }
    for waiter in waiters { waiter.resume(returning: address) }
  }

  private func end(_ error: any Error) {
    let waiters = state.withLockedValue { state in
      state.phase = .ended(error)
      defer { state.waiters = [:] }
      return state.waiters.values
    }
    for waiter in waiters { waiter.resume(throwing: error) }
  }
}
#endif
