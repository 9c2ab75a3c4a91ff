// SPDX-License-Identifier: Apache-2.0

// The functions called by clients.

package import RealmFormats

/// The functions of an app: closures by their names.
package struct FunctionTable: Sendable {
  /// Carries out a call.
  package typealias Function = @Sendable (FunctionCall) async throws -> BSONValue

  private var functions: [String: Function] = [:]

  package init() {}

  package subscript(name: String) -> Function? {
    get { functions[name] }
    set { functions[name] = newValue }
  }
}

/// A call of a function by a user.
package struct FunctionCall: Hashable, Sendable {
  package var name: String
  package var arguments: [BSONValue]
  package var account: Account
}
