// SPDX-License-Identifier: Apache-2.0

// The functions of an app's server.

#if Sync
import RealmSync

/// The functions of an app, called by their names.
///
/// ```swift
/// let sum = try await user.functions.sum(1, 2)
/// ```
@dynamicMemberLookup
public struct Functions: Sendable {
  let app: AppCore
  let user: AppUser

  /// A block that gets the result of a function, or the error; called once, on any thread.
  public typealias FunctionCompletionHandler = @Sendable (AnyBSON?, (any Error)?) -> Void

  /// A function that calls a block with its result, or the error.
  public typealias Function =
    @Sendable (_ arguments: [AnyBSON], _ completion: @escaping FunctionCompletionHandler) -> Void

  /// A block that gets the result of a function; called once, on any thread.
  public typealias ResultFunctionCompletionHandler = @Sendable (Result<AnyBSON, any Error>) -> Void

  /// A function that calls a block with its result.
  public typealias ResultFunction =
    @Sendable (_ arguments: [AnyBSON], _ completion: @escaping ResultFunctionCompletionHandler) ->
    Void

  /// The function of a name.
  public subscript(dynamicMember name: String) -> FunctionCallable {
    FunctionCallable(app: app, user: user, name: name)
  }

  /// The function of a name, with a block for its result or its error.
  public subscript(dynamicMember name: String) -> Function {
    let function = FunctionCallable(app: app, user: user, name: name)
    return { arguments, completion in
      complete(parts(completion)) { try await function.call(arguments) }
    }
  }

  /// The function of a name, with a block for its result.
  public subscript(dynamicMember name: String) -> ResultFunction {
    let function = FunctionCallable(app: app, user: user, name: name)
    return { arguments, completion in
      complete(completion) { try await function.call(arguments) }
    }
  }
}

/// A function of an app.
@dynamicCallable
public struct FunctionCallable: Sendable {
  let app: AppCore
  let user: AppUser
  let name: String

  /// Calls the function with some arguments.
  ///
  /// - Throws: `AppError`, or `CancellationError` if the task is cancelled.
  @_disfavoredOverload
  public func dynamicallyCall(withArguments arguments: [AnyBSON]) async throws -> AnyBSON {
    try await call(arguments)
  }

  /// Calls the function with the elements of an array as arguments. Several arrays are arguments
  /// themselves.
  ///
  /// - Throws: `AppError`, or `CancellationError` if the task is cancelled.
  public func dynamicallyCall(withArguments arguments: [[AnyBSON]]) async throws -> AnyBSON {
    try await call(Self.separate(arguments))
  }

  /// The arguments of a call with arrays alone.
  static func separate(_ arrays: [[AnyBSON]]) -> [AnyBSON] {
    arrays.count > 1 ? arrays.map { .array($0) } : arrays.first ?? []
  }

  func call(_ arguments: [AnyBSON]) async throws -> AnyBSON {
    AnyBSON(try await calling(await app.client.call(name, arguments.map(\.bson), as: user)))
  }
}

/// A block for a result, of one for its two parts.
func parts<R>(
  _ completion: @escaping @Sendable (R?, (any Error)?) -> Void
) -> @Sendable (Result<R, any Error>) -> Void {
  { result in
    switch result {
    case .success(let value): completion(value, nil)
    case .failure(let error): completion(nil, error)
    }
  }
}
#endif
