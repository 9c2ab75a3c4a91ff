// SPDX-License-Identifier: Apache-2.0

// The app's own code in logins: a webhook, or a closure of the server's program.

#if Server
package import RealmFormats

/// Code of the app that decides about a login.
package enum LoginHook: Hashable, Sendable {
  /// A closure of the program, by its name in `LoginFunctions`.
  case function(String)
  case webhook(Webhook)
}

/// The closures for logins of a server's program.
package struct LoginFunctions: Sendable {
  /// Carries out a call. The arguments are those of the former service's functions.
  package typealias Function = @Sendable (_ arguments: [BSONValue]) async throws -> BSONValue

  private var functions: [String: Function] = [:]

  package init() {}

  package subscript(name: String) -> Function? {
    get { functions[name] }
    set { functions[name] = newValue }
  }
}
#endif
