// SPDX-License-Identifier: Apache-2.0

// Errors as clients must get them, and the codes that cannot be sent.

import RealmFormats
import RealmTestSupport
import RealmText
import TestExtensions
import Testing

@testable import RealmSyncProtocol

struct ErrorDocumentTests {
  /// Deployed clients end their process when they get one of these.
  @Test(arguments: [104, 202, 203, 205, 207, 214, 215, 218, 219, 220, 221, 224])
  func forbiddenCodesHaveNoCase(_ code: Int) {
    expectTrue(SessionErrorCode(rawValue: code) == nil)
    expectTrue(ConnectionErrorCode(rawValue: code) == nil)
  }

  /// SY13
  @Test(arguments: SessionErrorCode.allCases) func allSixKeysAreWritten(
    _ code: SessionErrorCode
  ) throws {
    let document = ErrorDocument(code, message: "text")
    guard case .object(let members) = document.json else { throw MessageError.badErrorDocument }
    expectEqual(
      members.map(\.key),
      [
        "message", "logURL", "tryAgain", "shouldClientReset", "isRecoveryModeDisabled", "action",
      ])
    try expectEqual(ErrorDocument(json: document.json), document)
    expectTrue(ErrorCode(code).isOfSession)
  }

  @Test func aReportOfRejectedWrites() throws {
    var document = ErrorDocument(.compensatingWrite, message: "undone")
    document.compensatingWrite = CompensatingWriteReport(
      serverVersion: 3, rejectedClientVersion: 16,
      updates: [
        RejectedUpdate(
          notAllowed: .objectID(ObjectIDBits(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C)),
          in: "Item")
      ])
    expectEqual(
      JSONWriter.text(document.json),
      """
      {"message":"undone","logURL":"","tryAgain":true,"shouldClientReset":false,\
      "isRecoveryModeDisabled":false,"action":"Warning","compensatingWriteServerVersion":3,\
      "rejectedClientVersion":16,"rejectedUpdates":[{"reason":"write to \
      ObjectID(\\"0102030405060708090a0b0c\\") in table \\"Item\\" not allowed","table":"Item",\
      "pk":"CgECAwQFBgcICQoLDA=="}]}
      """)
    try expectEqual(ErrorDocument(json: document.json), document)
  }

  /// As the former service sent it: without a version that undoes the writes.
  @Test func refusedWritesOfAsymmetricClasses() throws {
    let text = """
      {"message":"refused","logURL":"","tryAgain":false,"shouldClientReset":false,\
      "isRecoveryModeDisabled":false,"action":"Warning","rejectedClientVersion":11,\
      "rejectedUpdates":[{"reason":"write to \
      \\"0102030405060708090a0b0c\\" in table \\"Event\\" not allowed","table":"Event",\
      "pk":"CgECAwQFBgcICQoLDA=="}]}
      """
    let key = RejectedKey.objectID(ObjectIDBits(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C))
    let document = try ErrorDocument(json: JSONParser.parse(text))
    expectEqual(
      document.refusedWrites,
      RefusedWriteReport(
        rejectedClientVersion: 11, updates: [RejectedUpdate(refused: key, in: "Event")]))
    expectEqual(document.compensatingWrite, nil)
    expectEqual(JSONWriter.text(document.json), text)
    // What a version would undo names the version.
    #expect(throws: MessageError.self) {
      try ErrorDocument(
        json: JSONParser.parse(text.replacing("\"rejectedClientVersion\":11,", with: "")))
    }
    expectEqual(
      RejectedUpdate(refused: .int(-3), in: "Event").reason,
      "write to -3 in table \"Event\" not allowed")
    expectEqual(
      RejectedUpdate(refused: .uuid(UUIDBits(high: 1, low: 2)), in: "Event").reason,
      "write to \"00000000-0000-0001-0000-000000000002\" in table \"Event\" not allowed")
  }

  @Test func optionalKeys() throws {
    var document = ErrorDocument(.sessionClosed, message: "later")
    document.retry = RetryHint(intervalSeconds: 5, delaySecondsMax: 60, multiplier: 3)
    document.partitionQuery = "owner == \"a\""
    document.previousSchemaVersion = 4
    try expectEqual(ErrorDocument(json: document.json), document)
    expectTrue(document.tryAgain)
    expectFalse(document.shouldClientReset)
  }

  @Test func anUnknownActionIsABugOfTheApp() throws {
    let text = """
      {"message":"","logURL":"","tryAgain":false,"shouldClientReset":false,\
      "isRecoveryModeDisabled":true,"action":"Dance"}
      """
    try expectEqual(ErrorDocument(json: JSONParser.parse(text)).action, .applicationBug)
    let reset = text.replacing("Dance", with: "ClientReset")
    let document = try ErrorDocument(json: JSONParser.parse(reset))
    expectEqual(document.action, .clientReset)
    expectEqual(document.effectiveAction, .clientResetNoRecovery)
  }

  @Test(arguments: [
    (RejectedKey.null, "null", "00"), (.int(-1), "-1", "0140"),
    (.string("aü"), "\"aü\"", "030361c3bc"),
    (
      .uuid(UUIDBits(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)),
      "UUID(\"00112233-4455-6677-8899-aabbccddeeff\")", "0b00112233445566778899aabbccddeeff"
    ),
  ])
  func keys(_ key: RejectedKey, _ text: String, _ encoding: String) throws {
    expectEqual(key.description, text)
    expectEqual(hex(key.bytes), encoding)
    try expectEqual(RejectedKey(bytes: key.bytes), key)
  }

  @Test(arguments: ["", "01", "0300ff", "0302c0af", "05", "7f", "0a0102"])
  func damagedKeysAreRefused(_ encoding: String) {
    #expect(throws: ChangesetError.self) { try RejectedKey(bytes: bytes(encoding)) }
  }
}
