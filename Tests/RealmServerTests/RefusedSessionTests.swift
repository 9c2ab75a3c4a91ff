// SPDX-License-Identifier: Apache-2.0

// Each error code of a session, from a server over a socket to a program (P1 C.6).

#if Server
import Foundation
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSwift
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerKit

@Suite(.timeLimit(.minutes(10))) struct RefusedSessionTests {
  /// What a program notices.
  private enum Effect: Hashable {
    /// Nothing: the session is bound again, and goes on.
    case none
    /// An error, and the end of the session.
    case end(SyncError.Code)
    /// An error; the session waits for the program.
    case error(SyncError.Code)
  }

  /// The promise of each code. A new code has no test until it has a promise.
  private static func promise(_ code: SessionErrorCode) -> Effect {
    switch code {
    case .sessionClosed, .initialSyncNotCompleted: .none
    case .badClientFileIdent, .badServerVersion, .badClientVersion, .divergingHistories,
      .badChangeset, .badOriginFileIdent, .badClientFile, .clientFileExpired, .permissionsChanged,
      .writeNotAllowed, .badProgress:
      .error(.clientResetError)
    case .permissionDenied: .end(.permissionDeniedError)
    case .userMismatch: .end(.clientUserError)
    case .badQuery: .end(.invalidFlexibleSyncSubscriptions)
    case .other, .illegalRealmPath, .invalidSchemaChange, .objectAlreadyExists, .migrateToFlexible,
      .revertToPartition, .badSchemaVersion:
      .end(.clientSessionError)
    case .schemaVersionChanged: .error(.clientSessionError)
    case .compensatingWrite: .error(.writeRejected)
    }
  }

  /// One server refuses the sessions of one device after the other.
  @Test @MainActor func aProgramNoticesWhatIsPromised() async throws {
    let server = try await RunningServer(
      file: """
        {"id": "todos", "mode": "production", "sync": "partition",
          "providers": {"anon-user": {}}, "permissions": {"write": true}}
        """)
    let refusal = Locked<SessionRefusal?>(nil)
    let rules = PartitionPermissions(write: .constant(true))
    _ = await server.program.apps[0].rules.replace(
      by: PartitionAccess(rules) { (user) throws(SessionRefusal) in
        let next = refusal.withLock { refusal in
          defer { refusal = nil }
          return refusal
        }
        if let next { throw next }
        return RuleUser(id: user)
      })
    // A write that is compensated has a test of its own: `PermissionTests`.
    for code in SessionErrorCode.allCases where code != .compensatingWrite {
      let device = try await AppDevice(server, "device-\(code.rawValue)")
      let message = "refused with \(code.rawValue)"
      refusal.withLock { $0 = SessionRefusal(code, message) }
      let realm = try await Realm(
        configuration: device.configuration("home"), actor: MainActor.shared)
      switch Self.promise(code) {
      case .none:
        try await realm.asyncWrite { realm.add(Todo(value: ["name": message])) }
        try await realm.syncSession?.wait(for: .upload)
        #expect(device.errors.withLock { $0.isEmpty }, "\(code)")
      case .end(let expected):
        let error = try await device.error()
        expectEqual(error.code, expected, "\(code): \(error)")
        expectEqual(error.message, code.deployedText(message), "\(code): \(error)")
        for _ in 0..<3_000 where realm.syncSession?.state == .active {
          try await Task.sleep(for: .milliseconds(20))
        }
        expectEqual(realm.syncSession?.state, .inactive, "\(code)")
      case .error(let expected):
        let error = try await device.error()
        expectEqual(error.code, expected, "\(code): \(error)")
        expectEqual(error.message, code.deployedText(message), "\(code): \(error)")
      }
      expectEqual(refusal.withLock { $0 }, nil, "\(code) was sent")
    }
    try await server.stop()
  }
}
#endif
