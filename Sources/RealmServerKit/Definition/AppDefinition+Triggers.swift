// SPDX-License-Identifier: Apache-2.0

// The triggers of an app.

#if Server
import Logging
import RealmFormats
import RealmServerEngine
import RealmServerServices
public import RealmSwift

/// How a trigger calls its code.
public struct TriggerOptions: Hashable, Sendable {
  /// The attempts to deliver an event whose code throws, with growing pauses between them.
  public var attempts = 10
  /// Whether an event that no attempt could deliver is left out. Otherwise the trigger stops, until
  /// `realm-server triggers resume`.
  public var skipsFailures = false
  /// Whether the code gets the object as it was before.
  public var hasDocumentBefore = false
  /// Whether the code is called for several objects at a time, in any order.
  public var isUnordered = false
  /// A condition on the events, like a filter of `MongoCollection.watch`; nil for all.
  public var filter: Document?

  /// Ten attempts, one object after the other.
  public init() {}
}

extension AppDefinition {
  /// Calls code after changes of the objects of a class: of devices, of documents and of the
  /// server's own code.
  ///
  /// ```swift
  /// app.trigger("welcome", on: Person.self, [.insert]) { (call, change) in
  ///   try await mailbox.send(to: change.document?["email"]??.stringValue)
  /// }
  /// ```
  ///
  /// Each change is delivered at least once, in the order in which the objects have changed, also
  /// when the server was away in between.
  ///
  /// - Parameters:
  ///   - name: The name of the place in the history that the server keeps.
  ///   - type: The class.
  ///   - operations: The kinds of changes.
  ///   - options: How the code is called.
  ///   - body: The code. If it throws, it is called again later.
  public mutating func trigger<T: ObjectBase>(
    _ name: String, on type: T.Type,
    _ operations: Set<TriggerEvent.Operation> = Set(TriggerEvent.Operation.allCases),
    options: TriggerOptions = TriggerOptions(),
    _ body: @escaping @Sendable (ServerCall, TriggerEvent) async throws -> Void
  ) {
    var trigger = DatabaseTrigger(type.className())
    trigger.operations = Set(
      operations.compactMap { DatabaseTrigger.Operation(rawValue: $0.rawValue) })
    trigger.match = options.filter.map { .document($0.elements) }
    trigger.documentBefore = options.hasDocumentBefore
    trigger.isUnordered = options.isUnordered
    addTrigger(name, .database(trigger), options) { try await body($0, TriggerEvent($1)) }
  }

  /// Calls code after users are made, log in or are deleted.
  ///
  /// - Parameters:
  ///   - name: The name of the place in the history that the server keeps.
  ///   - kind: The kind of events.
  ///   - options: How the code is called.
  ///   - body: The code. If it throws, it is called again later.
  public mutating func trigger(
    _ name: String, onUsers kind: UserEvent.Kind, options: TriggerOptions = TriggerOptions(),
    _ body: @escaping @Sendable (ServerCall, UserEvent) async throws -> Void
  ) {
    let operation: AccountEvent.Kind =
      switch kind {
      case .create: .create
      case .login: .login
      case .delete: .delete
      }
    addTrigger(name, .authentication(AuthenticationTrigger(operation)), options) {
      try await body($0, UserEvent($1))
    }
  }

  /// Calls code at the minutes of a schedule, in UTC.
  ///
  /// ```swift
  /// app.schedule("nightly", "30 2 * * *") { (call, run) in … }
  /// ```
  ///
  /// A run that fails is left out after its attempts.
  ///
  /// - Parameters:
  ///   - name: The name of the record of the last run.
  ///   - schedule: Five fields as cron has them: minute, hour, day, month, day of the week.
  ///   - options: How the code is called.
  ///   - body: The code. If it throws, it is called again later.
  public mutating func schedule(
    _ name: String, _ schedule: String, options: TriggerOptions = TriggerOptions(),
    _ body: @escaping @Sendable (ServerCall, ScheduledRun) async throws -> Void
  ) {
    var options = options
    options.skipsFailures = true
    let call = Self.call(name) { try await body($0, ScheduledRun($1)) }
    add(call.name, FunctionOptions(isPrivate: true), call.body)
    let settings = options
    @Sendable func part(_ code: inout AppCode, _: Reports) throws(ServerFailure) {
      do throws(CronError) {
        Self.append(name, .scheduled(try CronSchedule(schedule)), settings, to: &code)
      } catch {
        throw ServerFailure("The schedule \"\(schedule)\" of \(name) cannot be used: \(error).")
      }
    }
    parts.append(part)
  }

  private mutating func addTrigger(
    _ name: String, _ kind: TriggerSettings.Kind, _ options: TriggerOptions,
    _ body: @escaping @Sendable (ServerCall, Document) async throws -> Void
  ) {
    let call = Self.call(name, body)
    add(call.name, FunctionOptions(isPrivate: true), call.body)
    @Sendable func part(_ code: inout AppCode, _: Reports) throws(ServerFailure) {
      Self.append(name, kind, options, to: &code)
    }
    parts.append(part)
  }

  /// The private function behind a trigger.
  private static func call(
    _ name: String, _ body: @escaping @Sendable (ServerCall, Document) async throws -> Void
  ) -> (name: String, body: @Sendable (ServerCall) async throws -> AnyBSON) {
    (
      function(name),
      { call in
        try await body(call, call.arguments.first?.documentValue ?? [:])
        return .null
      }
    )
  }

  private static func function(_ name: String) -> String { "trigger:" + name }

  private static func append(
    _ name: String, _ kind: TriggerSettings.Kind, _ options: TriggerOptions,
    to code: inout AppCode
  ) {
    var settings = TriggerSettings(name, function: function(name), kind)
    let range = TriggerSettings.attemptCountRange
    settings.attemptCountMax = min(max(options.attempts, range.lowerBound), range.upperBound)
    settings.onFailure = options.skipsFailures ? .skip : .suspend
    code.triggers.append(settings)
  }
}
#endif
