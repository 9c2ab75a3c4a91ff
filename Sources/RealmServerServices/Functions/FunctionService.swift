// SPDX-License-Identifier: Apache-2.0

// Calls of the functions of an app.
//
// Invariants:
// 1. A call returns in its time, whatever the function does. A closure beyond it counts among
//    the running calls until it ends. One that fails after its time did not end in its time, too:
//    the request to a webhook has the same limit, and either may be noticed first.
// 2. Clients hold up neither triggers nor other clients: calls of users and calls of the system
//    have limits of their own, and so has each user.

#if Server
package import RealmFormats
import RealmServerEngine
import RealmStorage
package import RealmSyncProtocol

/// The limits of calls of functions.
package struct FunctionLimits: Hashable, Sendable {
  /// The bytes of a result as extended JSON.
  package static let resultByteCountMax = 4 << 20

  /// The calls of an app's users at a time.
  package var callCount = 64
  /// The calls of one user at a time.
  package var callsPerUser = 8
  /// The calls of triggers, and of functions by functions, at a time.
  package var systemCallCount = 256

  package init() {}
}

/// The functions of one app.
package final class FunctionService: Sendable {
  private struct State {
    var settings: [String: FunctionSettings] = [:]
    var documents: DocumentService?
    var userCalls = 0
    var callsByUser: [String: Int] = [:]
    var systemCalls = 0
    var calls: [String: FunctionStatus.Calls] = [:]
  }

  package let app: String
  package let push: PushService
  private let table: FunctionTable
  private let accounts: AccountService
  private let webhooks: WebhookSender
  private let limits: FunctionLimits
  private let timer: SyncClock
  private let state = Locked(State())

  /// - Parameters:
  ///   - table: The closures of the program.
  ///   - settings: The functions of the app's file, which count before the closures.
  ///   - transport: Calls webhooks; nil for the one of logins.
  ///   - timer: The time of limits.
  package init(
    _ table: FunctionTable, settings: [FunctionSettings] = [], accounts: AccountService,
    push: PushService? = nil, transport: (any HTTPTransport)? = nil,
    limits: FunctionLimits = FunctionLimits(), timer: SyncClock = .continuous
  ) {
    app = accounts.app
    self.table = table
    self.accounts = accounts
    webhooks = transport.map { accounts.services.webhooks(by: $0) } ?? accounts.services.webhooks
    self.push = push ?? PushService(accounts: accounts)
    self.limits = limits
    self.timer = timer
    set(settings)
  }

  /// Takes other functions of the app's file, for the calls from now on.
  package func set(_ settings: [FunctionSettings]) {
    state.withLock { state in
      state.settings = Dictionary(settings.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    }
  }

  /// Says where the documents of the app are, before the first call.
  package func find(documents: DocumentService) { state.withLock { $0.documents = documents } }

  // MARK: Calls

  /// Carries out the call of a client.
  package func call(
    _ name: String, _ arguments: [BSONValue], of account: Account
  ) async throws(FunctionError) -> BSONValue {
    guard let target = target(name), !target.options.isPrivate else { throw .unknown(name) }
    if target.options.canEvaluate != .constant(true) {
      guard target.options.canEvaluate.holds(in: try await context(account)) else {
        throw .notPermitted(name)
      }
    }
    let user = try await user(account)
    return try await run(target, FunctionCall(name, arguments, by: .user(user), of: self))
  }

  /// Carries out a call of a trigger, of the program or of another function.
  package func call(
    _ name: String, _ arguments: [BSONValue], by caller: FunctionCaller
  ) async throws(FunctionError) -> BSONValue {
    guard let target = target(name) else { throw .unknown(name) }
    return try await run(target, FunctionCall(name, arguments, by: caller, of: self))
  }

  /// Carries out a call about documents.
  ///
  /// - Parameter user: Nil for every right.
  func callDocuments(
    _ command: String, _ arguments: BSONValue, user: String?
  ) async throws(DocumentError) -> BSONValue {
    guard let documents = state.withLock({ $0.documents }) else {
      throw .unsupported("the app has no documents here")
    }
    guard DocumentCommand.names.contains(command) else {
      throw .unsupported("command not found: '\(command)'")
    }
    return try await documents.call(command, [arguments], user: user)
  }

  /// The functions of the app with their calls, by their names.
  package func statuses() -> [FunctionStatus] {
    let (settings, calls) = state.withLock { ($0.settings, $0.calls) }
    return Set(settings.keys).union(table.names).sorted().compactMap { name in
      guard let target = target(name) else { return nil }
      let isWebhook = if case .webhook = target.code { true } else { false }
      return FunctionStatus(
        name: name, isWebhook: isWebhook, isPrivate: target.options.isPrivate,
        calls: calls[name] ?? FunctionStatus.Calls())
    }
  }

  /// Whether the app has a function.
  package func has(_ name: String) -> Bool { target(name) != nil }

  private struct Target {
    let options: FunctionOptions
    let code: Code

    enum Code {
      case closure(FunctionTable.Function)
      case webhook(Webhook)
    }
  }

  private func target(_ name: String) -> Target? {
    let settings = state.withLock { $0.settings[name] }
    if let hook = settings?.webhook, let options = settings?.options {
      return Target(options: options, code: .webhook(hook))
    }
    guard let entry = table.entry(name) else { return nil }
    return Target(options: settings?.options ?? entry.options, code: .closure(entry.function))
  }

  private func context(_ account: Account) async throws(FunctionError) -> RuleContext {
    do throws(SessionRefusal) {
      return RuleContext(user: try await accounts.ruleUser(account.id), partition: nil)
    } catch {
      throw .user(.invalidSession)
    }
  }

  private func user(_ account: Account) async throws(FunctionError) -> FunctionUser {
    do throws(AccountError) {
      return FunctionUser(
        account, try await accounts.identities(of: account),
        customData: try await accounts.customData(of: account.id, given: account.customData))
    } catch {
      throw .user(error)
    }
  }

  // MARK: Running

  private func run(
    _ target: Target, _ call: FunctionCall
  ) async throws(FunctionError) -> BSONValue {
    do throws(FunctionError) {
      let value = try await runInTime(target, call)
      note(nil, call)
      return value
    } catch {
      note(error, call)
      throw error
    }
  }

  private func note(_ failure: FunctionError?, _ call: FunctionCall) {
    let now = accounts.clock.now()
    state.withLock {
      $0.calls[call.name, default: FunctionStatus.Calls()].note(failure, at: now)
    }
  }

  private func runInTime(
    _ target: Target, _ call: FunctionCall
  ) async throws(FunctionError) -> BSONValue {
    guard begin(call) else { throw .busy }
    let start = timer.now()
    var outcome = CodeRun.Outcome.failed
    var isLate = false
    defer { measure(.function(call.name), outcome, since: start, isLate: isLate) }
    let (timer, end) = (timer, timer.now() + target.options.timeout)
    let race = FunctionRace()
    let work = Task {
      var result = await self.result(of: target, call)
      if case .failure = result, timer.now() >= end { result = .failure(.tooLong) }
      race.end(with: result)
      self.end(call)
    }
    let alarm = Task {
      try? await timer.sleep(end)
      race.end(with: .failure(.tooLong))
      work.cancel()
    }
    let result = await withTaskCancellationHandler {
      await race.result()
    } onCancel: {
      work.cancel()
    }
    alarm.cancel()
    if case .failure(.tooLong) = result { isLate = true }
    let value = try result.get()
    outcome = .done
    return value
  }

  /// The time of limits and measurements.
  func now() -> Milliseconds { timer.now() }

  /// Reports a run of the app's own code.
  func measure(
    _ kind: CodeRun.Kind, _ outcome: CodeRun.Outcome, since start: Milliseconds,
    isLate: Bool = false
  ) {
    accounts.services.measure(
      CodeRun(
        app: app, kind: kind, outcome: outcome, time: timer.now() - start, isLate: isLate))
  }

  private func begin(_ call: FunctionCall) -> Bool {
    state.withLock { state in
      guard let user = call.user?.id else {
        guard state.systemCalls < limits.systemCallCount else { return false }
        state.systemCalls += 1
        return true
      }
      guard state.userCalls < limits.callCount,
        state.callsByUser[user, default: 0] < limits.callsPerUser
      else { return false }
      state.userCalls += 1
      state.callsByUser[user, default: 0] += 1
      return true
    }
  }

  private func end(_ call: FunctionCall) {
    state.withLock { state in
      guard let user = call.user?.id else { return state.systemCalls -= 1 }
      state.userCalls -= 1
      let left = state.callsByUser[user, default: 1] - 1
      state.callsByUser[user] = left > 0 ? left : nil
    }
  }

  private func result(
    of target: Target, _ call: FunctionCall
  ) async -> Result<BSONValue, FunctionError> {
    do throws(FunctionError) {
      switch target.code {
      case .webhook(let hook):
        return .success(
          try await WebhookFunction(call, hook, now: accounts.unixSeconds)
            .call(webhooks, timeout: target.options.timeout))
      case .closure(let function):
        let value = try await Self.result(of: function, call)
        guard value.approximateByteCount <= FunctionLimits.resultByteCountMax else {
          throw .resultTooLarge
        }
        return .success(value)
      }
    } catch {
      return .failure(error)
    }
  }

  private static func result(
    of function: FunctionTable.Function, _ call: FunctionCall
  ) async throws(FunctionError) -> BSONValue {
    do {
      return try await function(call)
    } catch let error as FunctionError {
      throw error
    } catch {
      throw .failed("\(error)")
    }
  }
}

/// The first of a function's result and its time limit.
private final class FunctionRace: Sendable {
  private struct State {
    var outcome: Result<BSONValue, FunctionError>?
    var waiter: CheckedContinuation<Result<BSONValue, FunctionError>, Never>?
  }

  private let state = Locked(State())

  func end(with outcome: Result<BSONValue, FunctionError>) {
    let waiter = state.withLock {
      state -> CheckedContinuation<Result<BSONValue, FunctionError>, Never>? in
      guard state.outcome == nil else { return nil }
      state.outcome = outcome
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: outcome)
  }

  /// The outcome, once.
  func result() async -> Result<BSONValue, FunctionError> {
    await withCheckedContinuation { continuation in
      let outcome = state.withLock { state in
        if state.outcome == nil { state.waiter = continuation }
        return state.outcome
      }
      if let outcome { continuation.resume(returning: outcome) }
    }
  }
}
#endif
