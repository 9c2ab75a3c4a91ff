// SPDX-License-Identifier: Apache-2.0

// The guard against resets that follow each other without end (P5 7).

import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

struct ResetRecordTests {
  /// A server that does not agree about what was exchanged.
  private static let cause = ResetCause(
    mayRecover: true, code: ErrorCode(SessionErrorCode.badProgress),
    document: ErrorDocument(message: "bad progress", action: .clientReset))

  private static func record(recovers: Bool) -> ResetRecord {
    ResetRecord(
      cause, recovers: recovers, at: Timestamp(seconds: 1_767_268_800, nanoseconds: 0))
  }

  /// The table of P5 7; nil for a reset that fails.
  @Test(
    arguments: [
      (false, ResetMode.discard, nil), (false, .recover, nil), (false, .recoverOrDiscard, nil),
      (true, .recover, nil), (true, .recoverOrDiscard, .discard), (true, .discard, .discard),
    ] as [(Bool, ResetMode, ResetMode?)])
  func theLastResetDecidesAboutTheNext(
    _ recovered: Bool, _ wanted: ResetMode, _ next: ResetMode?
  ) throws {
    let record = Self.record(recovers: recovered)
    guard let next else {
      let error = #expect(throws: ResetError.self) { try record.next(wanted, Self.cause) }
      let names: [ResetMode: String] = [
        .discard: "DiscardLocal", .recover: "Recover", .recoverOrDiscard: "RecoverOrDiscard",
      ]
      expectEqual(
        error?.description,
        "A previous '\(recovered ? "Recover" : "DiscardLocal")' mode reset from 2026-01-01 "
          + "12:00:00 UTC did not succeed, giving up on '\(names[wanted] ?? "")' mode to prevent a "
          + "cycle")
      return
    }
    try expectEqual(record.next(wanted, Self.cause), next)
  }

  @Test func recordsOfOtherVersionsAndActionsDoNotCount() throws {
    var other = Self.record(recovers: false)
    other.libraryVersion = "0.0.1"
    try expectEqual(other.next(.recover, Self.cause), .recover)
    other = Self.record(recovers: false)
    other.action = .migrateToFlexible
    try expectEqual(other.next(.discard, Self.cause), .discard)
  }

  @Test func aForbiddenRecoveryDiscardsOrFails() throws {
    var cause = ResetBench.cause
    cause.mayRecover = false
    try expectEqual(cause.mode(.discard), .discard)
    try expectEqual(cause.mode(.recoverOrDiscard), .discard)
    #expect(throws: ResetError.recoveryForbidden) { try cause.mode(.recover) }
  }

  /// `ResetRecord` 1.
  @Test func thereIsOneRecordInTheLayoutOfTheFormat() throws {
    let device = try TestDevice()
    try expectEqual(ResetRecord.stored(in: device.read()), nil)
    for recovers in [true, false] {
      try device.write { try Self.record(recovers: recovers).store(in: $0) }
      try expectEqual(ResetRecord.stored(in: device.read()), Self.record(recovers: recovers))
    }
    let table = try #require(try device.read().table(named: "client_reset_metadata"))
    #expect(try table.objectCount() == 1 && table.schema.primaryKey == nil)
    expectEqual(
      table.schema.columns.map { "\($0.name) \($0.type)" },
      [
        "core_version string", "time timestamp", "mode int", "action int", "error_code int",
        "error_msg string",
      ])
    try device.write { try ResetRecord.remove(in: $0) }
    try expectEqual(ResetRecord.stored(in: device.read()), nil)
    // Nothing of it is uploaded.
    expectTrue(device.written.isEmpty)
  }

  /// `ResetRecord` 3
  @Test(arguments: [ResetMode.recover, .discard])
  func aServerThatIsRestoredAgainAsksForNoCycle(_ mode: ResetMode) async throws {
    let bench = try await ResetBench(
      [Items.changeset { $0.addClass() }], uploaded: [{ try Items.makeClass($0) }])
    let agent = bench.device.agent
    for code in [SessionErrorCode.badClientFileIdent, .badServerVersion, .divergingHistories] {
      var cause = ResetBench.cause
      cause.code = ErrorCode(code)
      _ = try await bench.reset(mode, cause)
    }
    for _ in 0..<ResetRecord.restoresMax - 2 { _ = try await bench.reset(mode) }
    // It has none to offer.
    await #expect(throws: ResetError.self) { try await bench.reset(mode) }
    try await agent.removeResetRecord()
    _ = try await bench.reset(mode)
    // Any other reason may be one that does not go away.
    await #expect(throws: ResetError.self) { try await bench.reset(mode, Self.cause) }
    _ = try await bench.reset(mode)
  }

  @Test func aTableOfAnotherFormIsReplaced() throws {
    let device = try TestDevice()
    try device.write { group in
      let table = try group.createTable(named: "client_reset_metadata")
      try table.addColumn(named: "id", type: .int)
      _ = try table.createObject()
    }
    try expectEqual(ResetRecord.stored(in: device.read()), nil)
    try device.write { try Self.record(recovers: true).store(in: $0) }
    try expectEqual(ResetRecord.stored(in: device.read()), Self.record(recovers: true))
  }

  /// `ResetRecord` 2.
  @Test func theRecordStaysUntilTheFileIsSynchronised() async throws {
    let bench = try await ResetBench(
      [Items.changeset { $0.addClass() }], uploaded: [{ try Items.makeClass($0) }])
    let agent = bench.device.agent
    #expect(try await !agent.hasResetRecord())
    _ = try await bench.reset(.discard)
    #expect(try await agent.hasResetRecord())
    // The server does not accept the file either.
    await #expect(throws: ResetError.self) {
      try await bench.reset(.recoverOrDiscard, Self.cause)
    }
    try await bench.device.restart()
    #expect(try await bench.device.agent.hasResetRecord())
    try await bench.device.agent.removeResetRecord()
    #expect(try await !bench.device.agent.hasResetRecord())
    _ = try await bench.reset(.discard)
  }
}
