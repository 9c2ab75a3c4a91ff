// SPDX-License-Identifier: Apache-2.0

// The functions of an app's server.

#if Sync
import RealmSync

/// The functions of an app, called by their names.
///
/// ```swift
/// let sum = try await user.functions.sum([1, 2])
/// ```
@dynamicMemberLookup
public struct Functions: Sendable {
  let app: AppCore
  let user: AppUser

  /// A function that calls a block once with its result, on any thread.
  public typealias Function =
    @Sendable (
      _ arguments: [AnyBSON], _ completion: @escaping @Sendable (Result<AnyBSON, any Error>) -> Void
    ) -> Void

  /// The function of a name.
  public subscript(dynamicMember name: String) -> FunctionCallable {
    FunctionCallable(app: app, user: user, name: name)
  }

  /// The function of a name, with a block for its result.
  public subscript(dynamicMember name: String) -> Function {
    let function = FunctionCallable(app: app, user: user, name: name)
    return { arguments, completion in
      complete(completion) { try await function.dynamicallyCall(withArguments: [arguments]) }
    }
  }
}

/// A function of an app.
@dynamicCallable
public struct FunctionCallable: Sendable {
  let app: AppCore
  let user: AppUser
  let name: String

  /// Calls the function with the elements of an array as arguments.
  ///
  /// - Throws: `AppError`, or `CancellationError` if the task is cancelled.
  public func dynamicallyCall(withArguments arguments: [[AnyBSON]]) async throws -> AnyBSON {
    let values = (arguments.first ?? []).map(\.bson)
    return AnyBSON(
      try await calling(await app.client.call(name, values, as: user)))
  }
}
#endif
