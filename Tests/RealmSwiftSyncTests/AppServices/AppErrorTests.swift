// SPDX-License-Identifier: Apache-2.0

// The errors of app services and sessions, as programs catch them.

#if Sync
import Foundation
import RealmSync
import RealmSyncProtocol
import TestExtensions
import Testing

@testable import RealmSwift

struct AppErrorTests {
  /// The error of an answer of the server with a name of an error.
  private func error(named name: String?) -> any Error {
    AppError.of(.service(name: name, message: "no", status: 401, logURL: "http://x/log"))
  }

  @Test func codesAreCaughtByTheirNames() throws {
    do {
      throw error(named: "InvalidPassword")
    } catch AppError.userNotFound {
      Issue.record("the wrong code")
    } catch AppError.invalidPassword {
      // As it must be.
    }
    do {
      throw SyncError(.writeRejected, "no")
    } catch SyncError.writeRejected {
      // As it must be.
    }
    do {
      throw CancellationError()
    } catch AppError.invalidPassword {
      Issue.record("no error of an app")
    } catch {
      expectTrue(error is CancellationError)
    }
  }

  @Test func errorsHaveWhatTheServerTold() throws {
    let error = try #require(error(named: "AccountNameInUse") as? AppError)
    expectEqual(error.code, .accountNameInUse)
    expectEqual(error.message, "no")
    expectEqual(error.httpStatusCode, 401)
    expectEqual(error.logURL, URL(string: "http://x/log"))
    expectEqual(error.localizedDescription, "no")
  }

  @Test(arguments: [
    ("APIKeyAlreadyExists", AppError.Code.apiKeyAlreadyExists), ("MongoDBError", .mongoDBError),
    ("UserNotFound", .userNotFound), ("InvalidSession", .invalidSession), ("Else", .unknown),
  ])
  func namesOfTheServerAreCodes(_ name: String, _ code: AppError.Code) {
    expectEqual((error(named: name) as? AppError)?.code, code)
  }

  /// As programs that look at `NSError` know them.
  @Test func errorsHaveDomainsAndNumbers() throws {
    let app = error(named: "InvalidPassword") as NSError
    expectEqual(app.domain, "io.realm.app")
    expectEqual(app.code, AppError.Code.invalidPassword.rawValue)
    expectEqual(app.localizedDescription, "no")
    expectEqual(app.userInfo["HTTP Status Code"] as? Int, 401)
    let plain = try #require(error(named: "InvalidPassword") as? AppError)
    expectEqual(AppError.errorDomain, app.domain)
    expectEqual(plain.errorCode, app.code)
    expectEqual(plain.errorUserInfo.count, 3)
    expectEqual(app.userInfo["Server Log URL"] as? String, "http://x/log")
    let url = try #require(URL(string: "http://x/sync"))
    let sync = SyncError(.writeRejected, "no", serverLogURL: url, compensatingWriteInfo: [])
    expectEqual((sync as NSError).domain, "io.realm.sync")
    expectEqual((sync as NSError).code, 11)
    expectEqual(SyncError.errorDomain, "io.realm.sync")
    expectEqual(sync.errorCode, 11)
    expectEqual(sync.errorUserInfo.count, 3)
    expectEqual(sync.userInfo["Server Log URL"] as? String, "http://x/sync")
    expectTrue(sync.userInfo["Compensating Write Info"] is [CompensatingWriteInfo])
    expectTrue(sync.userInfo["error_action_token"] == nil)
    expectTrue(sync.userInfo["recovered_realm_location_path"] == nil)
  }

  @Test func programsMakeErrors() {
    let app = AppError(.userNotFound)
    expectEqual(app.code, .userNotFound)
    expectFalse(app.message.isEmpty)
    let full = AppError(
      .authError,
      userInfo: [
        NSLocalizedDescriptionKey: "m", "HTTP Status Code": 401, "Server Log URL": "http://x",
      ])
    expectEqual(AppError(full.code, userInfo: full.userInfo), full)
    expectEqual(full.message, "m")
    expectEqual(full.httpStatusCode, 401)
    expectEqual(full.logURL?.absoluteString, "http://x")
    let sync = SyncError(.clientResetError)
    expectEqual(sync.code, .clientResetError)
    expectTrue(sync.clientResetInfo() == nil)
    let url = URL(string: "http://x")
    let copy = SyncError(
      .serverWarning, userInfo: SyncError(.serverWarning, "w", serverLogURL: url).userInfo)
    expectEqual(copy.message, "w")
    expectEqual(copy.serverLogURL, url)
  }

  @Test func failuresOfThisSideHaveCodes() {
    func code(_ failure: AppFailure) -> AppError.Code? { (AppError.of(failure) as? AppError)?.code }
    expectEqual(code(.status(502)), .httpRequestFailed)
    expectEqual(code(.transport("gone")), .httpRequestFailed)
    expectTrue(AppError.of(.cancelled) is CancellationError)
  }

  @Test func onlyResetsHaveTheFileOfAReset() {
    let move = FileAction(movingFrom: "/tmp/a.realm", to: "/tmp/backup")
    let reset = SyncError(.clientResetError, "no", token: .init(action: move, app: nil))
    expectEqual(reset.clientResetInfo()?.0, "/tmp/backup")
    expectTrue(reset.deleteRealmUserInfo() == nil)
    let deletion = FileAction(deleting: "/tmp/a.realm")
    let denied = SyncError(.permissionDeniedError, "no", token: .init(action: deletion, app: nil))
    expectTrue(denied.clientResetInfo() == nil)
    expectTrue(denied.deleteRealmUserInfo() != nil)
  }
}
#endif
