// SPDX-License-Identifier: Apache-2.0

// The functions of an app.

#if Server
import Logging
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmSwift
import Tracing

extension AppDefinition {
  /// A function for calls of apps: `user.functions.sum(1, 2)`.
  ///
  /// ```swift
  /// app.function("sum") { (call, a: Int, b: Int) in a + b }
  /// app.function("greet") { (call, name: String?) in "Hello, \(name ?? "you")" }
  /// ```
  ///
  /// Arguments are of types that are `Decodable`, and the result of one that is `Encodable`: those
  /// of BSON (`Int`, `Double`, `String`, `Bool`, `Date`, `Data`, `UUID`, `ObjectId`, `Decimal128`,
  /// `AnyBSON`, `Document`), and structures of them, as documents. Optional arguments may be
  /// missing at the end.
  ///
  /// Calls with other arguments, and those whose code throws, get `AppError` with the code
  /// `functionExecutionError` and the text of the error.
  ///
  /// - Parameters:
  ///   - name: The name for callers.
  ///   - isPrivate: Whether clients cannot call it: triggers and other functions can.
  ///   - condition: The callers.
  ///   - timeout: The longest time of a call, whose task is cancelled then: 1 second to
  ///     5 minutes.
  ///   - body: The code. It runs in a task of its own, with others at the same time.
  public mutating func function<
    each Argument: Decodable & SendableMetatype, Result: Encodable & SendableMetatype
  >(
    _ name: String, isPrivate: Bool = false, canCall condition: UserCondition = .always,
    timeout: Duration = .seconds(30),
    _ body: @escaping @Sendable (ServerCall, repeat each Argument) async throws -> Result
  ) {
    add(name, Self.options(isPrivate, condition, timeout)) { call in
      var count = 0
      for _ in repeat (each Argument).self { count += 1 }
      var reader = try ArgumentReader(call.name, call.arguments, count: count)
      let arguments = (repeat try reader.next((each Argument).self))
      let result = try await body(call, repeat each arguments)
      do {
        return try ValueEncoder.encode(result)
      } catch let error as EncodingError {
        throw ArgumentError(call.name, result: error)
      }
    }
  }

  /// A function without a result: callers get null.
  ///
  /// - Parameters:
  ///   - name: The name for callers.
  ///   - isPrivate: Whether clients cannot call it: triggers and other functions can.
  ///   - condition: The callers.
  ///   - timeout: The longest time of a call, whose task is cancelled then: 1 second to
  ///     5 minutes.
  ///   - body: The code. It runs in a task of its own, with others at the same time.
  public mutating func function<each Argument: Decodable & SendableMetatype>(
    _ name: String, isPrivate: Bool = false, canCall condition: UserCondition = .always,
    timeout: Duration = .seconds(30),
    _ body: @escaping @Sendable (ServerCall, repeat each Argument) async throws -> Void
  ) {
    add(name, Self.options(isPrivate, condition, timeout)) { call in
      var count = 0
      for _ in repeat (each Argument).self { count += 1 }
      var reader = try ArgumentReader(call.name, call.arguments, count: count)
      let arguments = (repeat try reader.next((each Argument).self))
      try await body(call, repeat each arguments)
      return .null
    }
  }

  private static func options(
    _ isPrivate: Bool, _ condition: UserCondition, _ timeout: Duration
  ) -> FunctionOptions {
    let range = FunctionOptions.timeoutRange
    let milliseconds = UInt64(clamping: timeout.components.seconds) * 1_000
    return FunctionOptions(
      isPrivate: isPrivate, canEvaluate: condition.rule,
      timeout: min(max(milliseconds, range.lowerBound), range.upperBound))
  }

  /// Adds a closure to the functions.
  mutating func add(
    _ name: String, _ options: FunctionOptions,
    _ body: @escaping @Sendable (ServerCall) async throws -> AnyBSON
  ) {
    @Sendable func part(_ code: inout AppCode, _ reports: Reports) throws(ServerFailure) {
      guard FunctionSettings.isName(name) else {
        throw ServerFailure(
          "\"\(name)\" is no name of a function: it needs 1 to 128 letters, digits and signs.")
      }
      code.functions.add(name, options, Self.function(body, reports))
    }
    parts.append(part)
  }

  /// A closure as the engine calls it, in a span.
  private static func function(
    _ body: @escaping @Sendable (ServerCall) async throws -> AnyBSON, _ reports: Reports
  ) -> FunctionTable.Function {
    { (call: FunctionCall) async throws -> BSONValue in
      try await reports.tracing.span("realm.function") { span in
        span.attributes["realm.app"] = call.app
        span.attributes["realm.function"] = call.name
        do {
          return try await body(ServerCall(call, reports.logger)).bson
        } catch let error as AppError {
          throw FunctionError.failed(error.message)
        }
      }
    }
  }
}
#endif
