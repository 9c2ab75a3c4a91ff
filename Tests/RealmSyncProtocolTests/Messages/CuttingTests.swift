// SPDX-License-Identifier: Apache-2.0

// Texts that quote what clients send are cut where they are sent.

import RealmFormats
import TestExtensions
import Testing

@testable import RealmSyncProtocol

struct CuttingTests {
  @Test(arguments: [
    ("abc", 3, "abc"), ("abc", 2, "ab"), ("", 0, ""), ("abc", 0, ""), ("aé", 2, "a"),
    ("aé", 3, "aé"), ("a🇩🇪b", 8, "a"), ("a🇩🇪b", 9, "a🇩🇪"), ("ae\u{301}", 3, "a"),
    // A character that is too large alone is cut between its scalars.
    ("e\u{301}\u{302}\u{303}", 5, "e\u{301}\u{302}"), ("é", 1, ""),
  ])
  func textsAreCutAtCharacters(_ text: String, _ byteCount: Int, _ expected: String) {
    let cut = text.cut(toByteCount: byteCount)
    expectEqual(Array(cut.unicodeScalars), Array(expected.unicodeScalars))
  }

  /// The text of a server's message after its first line.
  private func sent(_ message: ServerMessage, version: Int) -> String {
    let bytes = MessageEncoder(version: ProtocolVersion(mode: .flexible, number: version))
      .bytes(message)
    return String(decoding: bytes.drop { $0 != UInt8(ascii: "\n") }.dropFirst(), as: UTF8.self)
  }

  @Test func textsOfTheServerHaveALimit() throws {
    let long = String(repeating: "é", count: 5_000)
    let short = String(repeating: "é", count: MessageEncoder.textByteCountMax / 2)
    var document = ErrorDocument(.compensatingWrite, message: long)
    document.compensatingWrite = CompensatingWriteReport(
      serverVersion: 1, rejectedClientVersion: 2,
      updates: [RejectedUpdate(reason: long, table: "Thing", key: RejectedKey.int(1))])
    let error = ServerMessage.error(
      session: 1, code: ErrorCode(SessionErrorCode.compensatingWrite), document: document)
    let read = try ErrorDocument(json: JSONParser.parse(Array(sent(error, version: 14).utf8)))
    expectEqual(read.message, short)
    expectEqual(read.compensatingWrite?.updates.map(\.reason), [short])
    expectEqual(read.compensatingWrite?.updates.first?.key, RejectedKey.int(1))
    let refusal = ServerMessage.QueryError(
      session: 1, code: ErrorCode(.badQuery), queryVersion: 1, message: long)
    expectEqual(sent(.queryError(refusal), version: 14), short)
    let old = MessageEncoder(version: ProtocolVersion(mode: .partition, number: 3)).bytes(error)
    expectTrue(String(decoding: old, as: UTF8.self).hasSuffix("\n" + short))
    let log = sent(
      .log(ServerMessage.LogMessage(session: 1, level: "info", message: long, connection: "c")),
      version: 14)
    try expectEqual(JSONParser.parse(Array(log.utf8))["msg"]?.string, short)
  }
}
