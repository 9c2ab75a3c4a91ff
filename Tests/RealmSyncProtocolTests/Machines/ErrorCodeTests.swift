// SPDX-License-Identifier: Apache-2.0

// Each error code, from a server's connection to a client's: what it makes of the client (P1 C.6).

import RealmSyncProtocol
import TestExtensions
import Testing

struct ErrorCodeTests {
  /// What becomes of a session.
  private enum Effect: Hashable {
    /// It is bound again after a delay, without a word to the program.
    case bindsAgain
    /// It rests, and asks for another file.
    case isReset(mayRecover: Bool)
    /// It rests, and the program gets an error.
    case isReported
    /// It goes on, and the program gets an error.
    case goesOn
    /// It goes on, and the program gets an error once the file has what undoes its writes.
    case goesOnUntilUndone
  }

  /// The promise of each code. A new code has no test until it has a promise.
  private static func promise(_ code: SessionErrorCode) -> Effect {
    switch code {
    case .sessionClosed, .initialSyncNotCompleted: .bindsAgain
    case .badClientFileIdent, .badServerVersion, .badClientVersion, .divergingHistories,
      .badChangeset, .badOriginFileIdent, .badClientFile, .clientFileExpired, .permissionsChanged,
      .writeNotAllowed, .badProgress:
      .isReset(mayRecover: true)
    case .other, .illegalRealmPath, .permissionDenied, .userMismatch, .invalidSchemaChange,
      .badQuery, .objectAlreadyExists, .migrateToFlexible, .revertToPartition, .badSchemaVersion:
      .isReported
    case .compensatingWrite: .goesOnUntilUndone
    case .schemaVersionChanged: .goesOn
    }
  }

  /// A client with a session that is bound.
  private static func client() -> ScriptedConnection {
    var client = ScriptedConnection()
    client.add(10)
    client.open()
    client.prepare(10)
    _ = client.take()
    return client
  }

  /// The message of a server that ends a session.
  private static func message(_ refusal: SessionRefusal) throws -> String {
    var server = ScriptedServerConnection(ProtocolVersion(mode: .partition))
    server.run(1, name: 1)
    _ = server.takeSent()
    server.handle(.session(1, .refuse(refusal)))
    return try #require(server.takeSent().first)
  }

  /// What a client's session did on a message.
  private static func effect(_ text: String) -> Effect? {
    var client = client()
    client.receive(text)
    let effects = client.take()
    let reports = effects.compactMap { effect in
      if case .sessionReport(10, let report) = effect { report } else { nil }
    }
    // No code is a reason to give the connection up.
    guard !effects.contains(where: { if case .close = $0 { true } else { false } }) else {
      return nil
    }
    let isUnbound = effects.contains(.send(Array("unbind 1\n".utf8), after: nil))
    switch (client.machine.rest(of: 10), reports.first) {
    case (.delay, .delayed?) where isUnbound: return .bindsAgain
    case (.error, .needsReset(let mayRecover, _, _)?) where isUnbound:
      return .isReset(mayRecover: mayRecover)
    case (.error, .error?) where isUnbound: return .isReported
    case (nil, .error?): return .goesOn
    case (nil, nil): return .goesOnUntilUndone
    default: return nil
    }
  }

  @Test(arguments: SessionErrorCode.allCases)
  func anErrorOfASessionHasItsEffect(_ code: SessionErrorCode) throws {
    var document = ErrorDocument(code, message: "m")
    if code == .compensatingWrite {
      document.compensatingWrite = CompensatingWriteReport(
        serverVersion: 5, rejectedClientVersion: 3,
        updates: [RejectedUpdate(notAllowed: .int(1), in: "A")])
    }
    var refusal = SessionRefusal(code, "m")
    refusal.document = document
    let text = try Self.message(refusal)
    expectTrue(text.hasPrefix("json_error \(code.rawValue) "))
    expectEqual(Self.effect(text), Self.promise(code))
  }

  /// The action counts, whatever the code is.
  @Test(arguments: SessionErrorCode.allCases.filter { $0 != .schemaVersionChanged })
  func theActionDecides(_ code: SessionErrorCode) throws {
    func effect(_ action: ErrorAction) throws -> Effect? {
      Self.effect(try Self.message(SessionRefusal(code, "m", action: action)))
    }
    try expectEqual(effect(.clientReset), .isReset(mayRecover: true))
    try expectEqual(effect(.clientResetNoRecovery), .isReset(mayRecover: false))
    try expectEqual(effect(.transient), .bindsAgain)
    try expectEqual(effect(.logOutUser), .isReported)
  }

  /// What asks a client to become one of another mode, or to change its schema, is only read.
  @Test(arguments: [ErrorAction.migrateToFlexible, .revertToPartition, .migrateSchema])
  func whatAsksForAMigrationChangesNoFile(_ action: ErrorAction) throws {
    let codes = SessionErrorCode.allCases.filter { ErrorDocument($0, message: "").action == action }
    expectEqual(codes.count, 1)
    let document = ErrorDocument(message: "m", action: action)
    for code in codes + [.other] {
      var refusal = SessionRefusal(code, "m")
      refusal.document = document
      // From another server: the session ends, or goes on with an error, and nothing is reset.
      let effect = Self.effect(try Self.message(refusal))
      expectEqual(effect, (code == .schemaVersionChanged ? .goesOn : .isReported))
    }
  }

  @Test(arguments: ConnectionErrorCode.allCases)
  func anErrorOfAConnectionEndsIt(_ code: ConnectionErrorCode) throws {
    var server = ScriptedServerConnection(ProtocolVersion(mode: .partition))
    server.run(1, name: 1)
    _ = (server.takeSent(), server.takeOthers())
    server.handle(.fail(code, message: "m"))
    let text = try #require(server.takeSent().last)
    expectTrue(text.hasPrefix("json_error \(code.rawValue) "))
    expectEqual(server.takeOthers().last, .close(.normal, reason: "m"))
    var client = Self.client()
    client.receive(text)
    let isFatal = code != .connectionClosed
    let effects = client.take()
    expectEqual(effects.first, .close(.normal))
    let failures = effects.compactMap { effect -> Bool? in
      guard case .report(.failed(.error(let received, _), let isFatal)) = effect else { return nil }
      expectEqual(received.connection, code)
      return isFatal
    }
    // A client that broke the protocol would do so again; one whose file is bound elsewhere comes
    // back by itself.
    expectEqual(failures, [isFatal])
    expectEqual((client.time(of: .retry) == nil), isFatal)
  }

  /// Deployed clients do not survive them: no value exists with which a server could send one.
  @Test(arguments: [202, 203, 205, 207, 214, 215, 218, 219, 220, 221, 224])
  func aForbiddenCodeCannotBeExpressed(_ number: Int) {
    expectEqual(SessionErrorCode(rawValue: number), nil)
    expectEqual(ConnectionErrorCode(rawValue: number), nil)
    // From another server it is an error as any other.
    let document =
      #"{"message":"","logURL":"","tryAgain":false,"shouldClientReset":false,"#
      + #""isRecoveryModeDisabled":false,"action":"ApplicationBug"}"#
    let text = "json_error \(number) \(document.utf8.count) 1\n\(document)"
    expectEqual(Self.effect(text), .isReported)
  }

  @Test func theForbiddenCodeOfConnectionsCannotBeExpressed() {
    expectEqual(ConnectionErrorCode(rawValue: 104), nil)
    expectEqual(SessionErrorCode(rawValue: 104), nil)
  }
}
