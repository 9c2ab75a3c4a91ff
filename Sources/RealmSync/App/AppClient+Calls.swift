// SPDX-License-Identifier: Apache-2.0

// Calls without a change of users: passwords, functions.

package import RealmFormats
package import RealmSyncProtocol

extension AppClient {
  // MARK: Users with passwords

  private func callPasswordProvider(
    _ path: String, _ texts: [(String, String)], _ more: [JSONMember] = []
  ) async throws(AppFailure) {
    _ = try await send(
      .post, "auth/providers/local-userpass/" + path,
      .object(texts.map { JSONMember($0.0, .string($0.1)) } + more), of: .app)
  }

  /// Registers a user. The app may ask for a confirmation of the address.
  package func register(email: String, password: String) async throws(AppFailure) {
    try await callPasswordProvider("register", [("email", email), ("password", password)])
  }

  /// Confirms an address with the token of a mail.
  package func confirm(token: String, tokenID: String) async throws(AppFailure) {
    try await callPasswordProvider("confirm", [("token", token), ("tokenId", tokenID)])
  }

  /// Sends the mail for confirming an address again.
  package func sendConfirmation(to email: String) async throws(AppFailure) {
    try await callPasswordProvider("confirm/send", [("email", email)])
  }

  /// Calls the app's own confirmation function again.
  package func repeatCustomConfirmation(of email: String) async throws(AppFailure) {
    try await callPasswordProvider("confirm/call", [("email", email)])
  }

  /// Sends the mail for resetting a password.
  package func sendPasswordReset(to email: String) async throws(AppFailure) {
    try await callPasswordProvider("reset/send", [("email", email)])
  }

  /// Sets another password with the token of a mail.
  package func resetPassword(
    to password: String, token: String, tokenID: String
  ) async throws(AppFailure) {
    try await callPasswordProvider(
      "reset", [("password", password), ("token", token), ("tokenId", tokenID)])
  }

  /// Calls the app's own function for setting another password.
  package func callPasswordReset(
    of email: String, to password: String, arguments: [BSONValue]
  ) async throws(AppFailure) {
    try await callPasswordProvider(
      "reset/call", [("email", email), ("password", password)],
      [JSONMember("arguments", ExtendedJSONWriter.json(.array(arguments)))])
  }

  // MARK: Functions

  /// Calls a function of the app, or of one of its services.
  package func call(
    _ function: String, _ arguments: [BSONValue], service: String? = nil, as user: AppUser
  ) async throws(AppFailure) -> BSONValue {
    var members = [
      JSONMember("arguments", ExtendedJSONWriter.json(.array(arguments))),
      JSONMember("name", .string(function)),
    ]
    if let service { members.append(JSONMember("service", .string(service))) }
    let answer = try await send(.post, "functions/call", .object(members), of: .app, as: user)
    do {
      return try ExtendedJSONReader.value(answer)
    } catch {
      throw .badAnswer("The result of the function is no extended JSON: \(error)")
    }
  }
}
