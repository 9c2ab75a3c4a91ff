// SPDX-License-Identifier: Apache-2.0

// The users and triggers of an app, opened for a command.

#if Server
import RealmServerEngine
import RealmServerServices
import RealmServerKit

/// An app, and where its users and triggers are.
struct RecordPlace {
  var folder: String
  /// Nil if the folder has one app.
  var appID: String?
  /// The address of the database; nil if there is none.
  var store: String?

  /// Opens the records for a closure.
  ///
  /// - Parameter body: Its first argument is the app.
  func withRecords<R>(
    _ body: (AppFile, OperatorRecords) async throws(ServerFailure) -> R
  ) async throws(ServerFailure) -> R {
    let directory = try ServerDirectory(existing: folder)
    let app = try directory.app(named: appID)
    let records = try OperatorRecords(directory, store: store)
    defer { records.close() }
    return try await body(app, records)
  }

  /// Opens the users for a closure.
  ///
  /// - Parameter body: Its first argument is the app.
  func withUsers<R>(
    _ body: (AppFile, AccountStore, OperatorRecords) async throws(AccountError) -> R,
    failure: (AccountError, AppFile) -> ServerFailure = { _, app in
      ServerFailure("The app \(app.id) has no such user.")
    }
  ) async throws(ServerFailure) -> R {
    try await withRecords { (app, records) async throws(ServerFailure) in
      let users = try records.users(of: app.id)
      do throws(AccountError) {
        return try await body(app, users, records)
      } catch {
        guard case .store(let cause) = error else { throw failure(error, app) }
        throw records.failure(usersOf: app.id, cause)
      }
    }
  }
}
#endif
