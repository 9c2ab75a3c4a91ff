// SPDX-License-Identifier: Apache-2.0

// The agreement on a version, the codes of a close, and the queries of a subscription set.

import RealmSyncProtocol
import TestExtensions
import Testing

struct HandshakeTests {
  @Test func aClientOffersAllVersionsNewestFirst() {
    let names = ProtocolVersion.offer(.flexible)
    expectEqual(names.first, "com.mongodb.realm-query-sync#14")
    expectEqual(names.last, "com.mongodb.realm-query-sync#2")
    expectEqual(names.count, 13)
  }

  @Test(arguments: [
    ("com.mongodb.realm-query-sync#14, com.mongodb.realm-query-sync#13", SyncMode.flexible, 14),
    ("com.mongodb.realm-query-sync#99,com.mongodb.realm-query-sync#11", .flexible, 11),
    ("com.mongodb.realm-sync#14,com.mongodb.realm-sync#2", .partition, 14),
    ("com.mongodb.realm-sync/3-7", .partition, 7), ("com.mongodb.realm-sync/1-99", .partition, 14),
  ])
  func theServerTakesTheNewestThatItHas(_ offer: String, _ mode: SyncMode, _ number: Int) {
    expectEqual(ProtocolVersion.chosen(from: offer), ProtocolVersion(mode: mode, number: number))
  }

  @Test(arguments: [
    ("com.mongodb.realm-sync/3-7", "com.mongodb.realm-sync/7"),
    ("com.mongodb.realm-sync#7,com.mongodb.realm-sync/6", "com.mongodb.realm-sync#7"),
  ])
  func theAnswerIsWrittenAsTheOffer(_ offer: String, _ name: String) {
    expectEqual(ProtocolVersion.answer(to: offer)?.name, name)
  }

  @Test(arguments: [
    "", "chat", "com.mongodb.realm-query-sync#9", "com.mongodb.realm-sync#2",
    "com.mongodb.realm-sync#15", "com.mongodb.realm-sync#", "com.mongodb.realm-sync#7-3",
    "com.mongodb.realm-sync#-5", "com.mongodb.realm-sync#99999999999999999999",
  ])
  func anOfferWithoutSharedVersionHasNone(_ offer: String) {
    expectEqual(ProtocolVersion.chosen(from: offer), nil)
  }

  @Test func theAnswerMustBeOneOfferedVersion() {
    expectEqual(
      ProtocolVersion(answer: "com.mongodb.realm-query-sync#13", mode: .flexible)?.number, 13)
    for bad in [
      "", "com.mongodb.realm-sync#13", "com.mongodb.realm-query-sync#15",
      "com.mongodb.realm-query-sync#1",
      "com.mongodb.realm-query-sync#13,com.mongodb.realm-query-sync#12",
    ] {
      expectEqual(ProtocolVersion(answer: bad, mode: .flexible), nil, "\(bad)")
    }
  }

  @Test(arguments: [
    (1000, CloseCode.Reaction.none), (1001, .retry), (1005, .retry), (1006, .refreshToken),
    (1009, .clientReset), (1011, .retry), (1015, .reportAndRetry), (4001, .refreshToken),
    (4002, .logOut), (4003, .refreshLocation), (4400, .retryOrRefreshLocation), (4402, .retry),
    (4405, .fatalOrRefreshLocation), (4999, .retry),
  ])
  func reactions(_ code: Int, _ reaction: CloseCode.Reaction) {
    expectEqual(CloseCode(code).reaction, reaction)
  }

  @Test(arguments: [
    (301, 4003), (308, 4003), (302, 4404), (401, 4001), (403, 4002), (503, 1011), (200, 4405),
    (400, 4405),
  ])
  func failedHandshakes(_ status: Int, _ code: Int) {
    expectEqual(CloseCode(handshakeStatus: status).rawValue, code)
  }

  @Test func queriesOfOneClassAreSortedAndJoined() throws {
    let document = QueryDocument(subscriptions: [
      ("B", "(x > 1)"), ("A", "TRUEPREDICATE"), ("B", "(a == 2)"), ("B", "(x > 1)"),
    ])
    expectEqual(document.text, #"{"A":"TRUEPREDICATE","B":"((a == 2)) OR ((x > 1))"}"#)
    expectEqual(QueryDocument(text: document.text), document)
    expectEqual(QueryDocument().text, "{}")
    for bad in ["", "[]", #"{"A":1}"#, #"{"A":"x","A":"y"}"#] {
      expectEqual(QueryDocument(text: bad), nil)
    }
  }
}
