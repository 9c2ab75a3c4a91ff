// SPDX-License-Identifier: Apache-2.0

// A call of a function, and the means of the function.

#if Server
package import RealmFormats

/// The caller of a function.
package enum FunctionCaller: Hashable, Sendable {
  case user(FunctionUser)
  /// A trigger of the app, by its name.
  case trigger(String)
  /// The server's program, or another function.
  case system
}

/// A call of a function.
package struct FunctionCall: Sendable {
  package let app: String
  package let name: String
  package let arguments: [BSONValue]
  package let caller: FunctionCaller
  private let service: FunctionService

  init(
    _ name: String, _ arguments: [BSONValue], by caller: FunctionCaller, of service: FunctionService
  ) {
    app = service.app
    self.name = name
    self.arguments = arguments
    self.caller = caller
    self.service = service
  }

  /// The user who calls; nil for triggers and the program.
  package var user: FunctionUser? {
    if case .user(let user) = caller { user } else { nil }
  }

  /// Calls another function of the app, a private one, too.
  package func callFunction(
    _ name: String, _ arguments: [BSONValue]
  ) async throws(FunctionError) -> BSONValue {
    try await service.call(name, arguments, by: .system)
  }

  /// Carries out a call about documents, as those of clients.
  ///
  /// - Parameters:
  ///   - command: One of `DocumentCommand.names`.
  ///   - arguments: The document with the arguments of the call.
  ///   - asSystem: Whether the call has every right. Calls of triggers always have.
  package func callDocuments(
    _ command: String, _ arguments: BSONValue, asSystem: Bool = false
  ) async throws(DocumentError) -> BSONValue {
    try await service.callDocuments(command, arguments, user: asSystem ? nil : user?.id)
  }

  /// Hands a push message over for the devices of some users.
  package func push(_ message: PushMessage) async throws(PushError) -> PushReport {
    try await service.push.send(message)
  }
}
#endif
