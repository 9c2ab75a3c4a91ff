// SPDX-License-Identifier: Apache-2.0

// The functions of an app's server.

import RealmSync

/// The functions of an app, called by their names.
///
/// ```swift
/// let sum = try await user.functions.sum([1, 2])
/// ```
@dynamicMemberLookup
public struct Functions: Sendable {
  private let app: AppCore
  private let user: AppUser

  init(_ app: AppCore, _ user: AppUser) {
    self.app = app
    self.user = user
  }

  /// The function of a name.
  public subscript(dynamicMember name: String) -> FunctionCallable {
    FunctionCallable(app, user, name)
  }
}

/// A function of an app.
@dynamicCallable
public struct FunctionCallable: Sendable {
  private let app: AppCore
  private let user: AppUser
  private let name: String

  init(_ app: AppCore, _ user: AppUser, _ name: String) {
    self.app = app
    self.user = user
    self.name = name
  }

  /// Calls the function with the elements of an array as arguments.
  ///
  /// - Throws: `AppError`, or `CancellationError` if the task is cancelled.
  public func dynamicallyCall(withArguments arguments: [[AnyBSON]]) async throws -> AnyBSON {
    let values = (arguments.first ?? []).map(\.bson)
    return AnyBSON(
      try await calling { () async throws(AppFailure) in
        try await app.client.call(name, values, as: user)
      })
  }

  /// Calls the function, and calls the block once with the result, on any thread.
  public func callAsFunction(
    _ arguments: [AnyBSON], _ completion: @escaping @Sendable (Result<AnyBSON, any Error>) -> Void
  ) {
    complete(completion) { try await self.dynamicallyCall(withArguments: [arguments]) }
  }
}
