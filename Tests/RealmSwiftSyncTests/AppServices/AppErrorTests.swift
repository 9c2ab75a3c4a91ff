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
