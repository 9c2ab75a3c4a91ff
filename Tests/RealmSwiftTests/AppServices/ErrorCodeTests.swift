// SPDX-License-Identifier: Apache-2.0

// The codes of errors: each has a second name, under which programs catch it, and its number.

import Foundation
import RealmSync
import Testing

@testable import RealmSwift

@Suite struct ErrorCodeTests {
  private static let codes: [(AppError.Code, AppError.Code)] = [
    (AppError.Code.unknown, AppError.unknown),
    (AppError.Code.httpRequestFailed, AppError.httpRequestFailed),
    (AppError.Code.invalidSession, AppError.invalidSession),
    (AppError.Code.badRequest, AppError.badRequest),
    (AppError.Code.userNotFound, AppError.userNotFound),
    (AppError.Code.userAppDomainMismatch, AppError.userAppDomainMismatch),
    (AppError.Code.domainNotAllowed, AppError.domainNotAllowed),
    (AppError.Code.readSizeLimitExceeded, AppError.readSizeLimitExceeded),
    (AppError.Code.invalidParameter, AppError.invalidParameter),
    (AppError.Code.missingParameter, AppError.missingParameter),
    (AppError.Code.functionExecutionError, AppError.functionExecutionError),
    (AppError.Code.internalServerError, AppError.internalServerError),
    (AppError.Code.authProviderNotFound, AppError.authProviderNotFound),
    (AppError.Code.valueNotFound, AppError.valueNotFound),
    (AppError.Code.valueAlreadyExists, AppError.valueAlreadyExists),
    (AppError.Code.valueDuplicateName, AppError.valueDuplicateName),
    (AppError.Code.functionNotFound, AppError.functionNotFound),
    (AppError.Code.functionSyntaxError, AppError.functionSyntaxError),
    (AppError.Code.functionInvalid, AppError.functionInvalid),
    (AppError.Code.apiKeyAlreadyExists, AppError.apiKeyAlreadyExists),
    (AppError.Code.executionTimeLimitExceeded, AppError.executionTimeLimitExceeded),
    (AppError.Code.notCallable, AppError.notCallable),
    (AppError.Code.userAlreadyConfirmed, AppError.userAlreadyConfirmed),
    (AppError.Code.userDisabled, AppError.userDisabled),
    (AppError.Code.authError, AppError.authError),
    (AppError.Code.accountNameInUse, AppError.accountNameInUse),
    (AppError.Code.invalidPassword, AppError.invalidPassword),
    (AppError.Code.maintenanceInProgress, AppError.maintenanceInProgress),
    (AppError.Code.mongoDBError, AppError.mongoDBError),
  ]

  private static let sessionCodes: [(SyncError.Code, SyncError.Code)] = [
    (SyncError.Code.clientSessionError, SyncError.clientSessionError),
    (SyncError.Code.clientUserError, SyncError.clientUserError),
    (SyncError.Code.clientInternalError, SyncError.clientInternalError),
    (SyncError.Code.clientResetError, SyncError.clientResetError),
    (SyncError.Code.underlyingAuthError, SyncError.underlyingAuthError),
    (SyncError.Code.permissionDeniedError, SyncError.permissionDeniedError),
    (SyncError.Code.invalidFlexibleSyncSubscriptions, SyncError.invalidFlexibleSyncSubscriptions),
    (SyncError.Code.writeRejected, SyncError.writeRejected),
    (SyncError.Code.connectionFailed, SyncError.connectionFailed),
    (SyncError.Code.tlsHandshakeFailed, SyncError.tlsHandshakeFailed),
    (SyncError.Code.serverWarning, SyncError.serverWarning),
  ]

  @Test func codesHaveASecondName() {
    #expect(Self.codes.allSatisfy { $0.0 == $0.1 })
    #expect(Set(Self.codes.map(\.0)) == Set(AppError.Code.allCases))
    #expect(Self.sessionCodes.allSatisfy { $0.0 == $0.1 })
    #expect(Self.codes.map(\.0.rawValue) == [-1] + Array(1...28))
    #expect(Self.sessionCodes.map(\.0.rawValue) == Array(4...14))
  }

  @Test func theServersNamesAreThoseOfTheCodes() throws {
    for code in AppError.Code.allCases {
      let name = "\(code)".prefix(1).uppercased() + "\(code)".dropFirst()
      let error = AppError.of(.service(name: name, message: "no", status: 400, logURL: nil))
      #expect((error as? AppError)?.code == code, "\(name)")
    }
  }

  @Test func patternsMatchTheirCodeAlone() {
    for (code, name) in Self.codes {
      let error: any Error = AppError(code, "no")
      #expect(name ~= error)
      #expect(Self.codes.count { $0.1 ~= error } == 1)
      #expect(AppError(code, "no").errorDescription == "no")
    }
    for (code, name) in Self.sessionCodes {
      let error: any Error = SyncError(code, "no")
      #expect(name ~= error)
      #expect(Self.sessionCodes.count { $0.1 ~= error } == 1)
      #expect(SyncError(code, "no").code == code && SyncError(code, "no").message == "no")
      #expect(SyncError(code, "no").errorDescription == "no")
      #expect(SyncError(code, "no").compensatingWriteInfo == nil)
      #expect(SyncError(code, "no").serverLogURL == nil)
    }
  }
}
