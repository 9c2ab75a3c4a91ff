// SPDX-License-Identifier: Apache-2.0

// Messages that break what original clients assert of the reports of refused writes.

import RealmSyncProtocol
import RealmSyncTestSupport
import TestExtensions
import Testing

struct ReportCheckerTests {
  /// A message of the server.
  enum Message: Sendable {
    case report(UInt64)
    /// The versions of its entries, and the end of its cursor if that is another one.
    case steady([UInt64], to: UInt64? = nil)
    case part([UInt64], to: UInt64)
    case last([UInt64], to: UInt64, query: UInt64 = 1)
    case otherError
    case unbound
  }

  private static func serverMessage(_ message: Message) -> ServerMessage {
    func download(
      _ versions: [UInt64], _ end: UInt64, _ batch: ServerMessage.BatchState, _ query: UInt64
    ) -> ServerMessage {
      let text = versions.map { "\($0) 0 0 3 0 0 " }.joined()
      return .download(
        session: 1,
        ServerMessage.Download(
          cursors: SyncCursors(download: DownloadCursor(serverVersion: end, clientVersion: 0)),
          progress: .flexible(queryVersion: query, batch: batch, done: .estimate(1)),
          body: MessageBody(plain: Array(text.utf8))))
    }
    switch message {
    case .report(let version):
      var document = ErrorDocument(.compensatingWrite, message: "refused")
      document.compensatingWrite = CompensatingWriteReport(
        serverVersion: version, rejectedClientVersion: 3, updates: [])
      return .error(
        session: 1, code: ErrorCode(SessionErrorCode.compensatingWrite), document: document)
    case .steady(let versions, let end):
      return download(versions, end ?? versions.last ?? 0, .steady, 1)
    case .part(let versions, let end): return download(versions, end, .moreToCome, 1)
    case .last(let versions, let end, let query): return download(versions, end, .last, query)
    case .otherError:
      return .error(
        session: 1, code: ErrorCode(SessionErrorCode.sessionClosed),
        document: ErrorDocument(.sessionClosed, message: ""))
    case .unbound: return .unbound(session: 1)
    }
  }

  private static func problems(
    _ messages: [Message], _ version: ProtocolVersion = ProtocolVersion(mode: .flexible)
  ) -> [String] {
    var checker = ReportChecker(version)
    checker.send(
      .ident(
        .init(
          session: 1, file: FileIdentifier(2), salt: 1, download: DownloadCursor(),
          latest: SaltedVersion(), query: VersionedQuery(version: 1, text: "{}"))))
    for message in messages { checker.receive(serverMessage(message)) }
    return checker.problems
  }

  /// What a server sends, and the beginning of what is wrong with it.
  @Test(
    arguments: [
      // `ReportChecker` 1
      ([.report(5), .report(6)], nil),
      ([.report(5), .report(5)], "the report of version 5 follows"),
      ([.report(6), .report(5)], "the report of version 5 follows"),
      ([.report(6), .steady([6]), .report(6)], nil), ([.report(6), .unbound, .report(5)], nil),
      ([.report(6), .otherError, .report(5)], nil),
      // `ReportChecker` 2
      ([.report(5), .steady([5, 6])], nil), ([.report(6), .steady([5, 6])], nil),
      ([.report(5), .steady([6])], "the report of version 5 is released by [6]"),
      (
        [.report(5), .report(6), .steady([5, 7])], "the report of version 6 is released by [5, 7]"
      ),
      ([.report(5), .report(7), .steady([5, 6]), .steady([7])], nil),
      // `ReportChecker` 3
      ([.report(9), .steady([5], to: 8), .steady([9])], nil),
      ([.report(9), .steady([5], to: 9)], "a DOWNLOAD passes the report of version 9"),
      ([.report(9), .steady([], to: 10)], "a DOWNLOAD passes the report of version 9"),
      ([.report(9), .part([], to: 9), .last([], to: 9), .steady([9])], nil),
      ([.report(9), .part([], to: 10)], "a DOWNLOAD passes the report of version 9"),
      ([.report(9), .last([], to: 10)], "a DOWNLOAD passes the report of version 9"),
    ] as [([Message], String?)])
  func messagesAreChecked(_ messages: [Message], _ problem: String?) {
    let problems = Self.problems(messages)
    expectEqual(problems.count, problem == nil ? 0 : 1)
    if let problem { expectTrue(problems.first?.hasPrefix(problem) == true, "\(problems)") }
  }

  /// Before version 14 the end of a batch of the active query is a message of the steady state.
  @Test func oldClientsTakeTheEndOfABatchForTheSteadyState() {
    let old = ProtocolVersion(mode: .flexible, number: 13)
    expectEqual(Self.problems([.report(9), .last([9], to: 9)], old), [])
    expectEqual(Self.problems([.report(9), .last([5], to: 9)], old).count, 1)
    expectEqual(Self.problems([.report(9), .last([5], to: 9)]).count, 0)
    // That of another query is one of a bootstrap, and makes the query the active one.
    expectEqual(Self.problems([.report(9), .last([5], to: 9, query: 2)], old).count, 0)
    let again = Self.problems(
      [.report(9), .last([5], to: 9, query: 2), .last([5], to: 9, query: 2)], old)
    expectEqual(again.count, 1)
  }
}
