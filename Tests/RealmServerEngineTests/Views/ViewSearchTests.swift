// SPDX-License-Identifier: Apache-2.0

// What clients see is searched for beside the uploads.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

@Suite(.timeLimit(.minutes(10))) struct ViewSearchTests {
  private typealias Text = ChangesetText

  /// A realm whose searches wait for the test; `ViewCostTests` have it, too.
  struct Bench {
    let server: TestServer
    let thread = HeldThread()
    let writer: ClientFile
    private var version: UInt64 = 0

    init(_ changes: [[UInt8]]) async throws {
      server = try await TestServer(
        recordsTouches: true, searchers: ViewSearchers(threads: [thread.executor]))
      writer = try await server.realm.allocateFile(for: "writer")
      try await upload(changes)
    }

    /// Uploads changes that know all earlier ones.
    mutating func upload(_ changes: [[UInt8]]) async throws {
      let upload = Upload(
        writer, changes, from: version + 1, base: await server.realm.head.version)
      version += UInt64(changes.count)
      await expectEqual(server.realm.integrate(upload).code, nil)
    }

    /// Makes a version without changes.
    func makeVersion() async throws {
      let head = await server.realm.head
      _ = try await server.realm.appendVersions(
        through: head.version + 1, after: head, privates: [])
    }

    /// Begins a search, up to its first job.
    ///
    /// - Parameter shortest: The comparisons that need no other thread.
    func begin(
      _ file: ClientFile, at version: UInt64, _ query: EffectiveQuery, next: EffectiveQuery?,
      shortest: Int = 0
    ) async throws -> Search {
      let isOver = Locked(false)
      let task = ViewSearch.$shortComparisonCountMax.withValue(shortest) {
        Task { [realm = server.realm] in
          defer { isOver.withLock { $0 = true } }
          return try await realm.view(
            for: file.ident, of: file.user, after: DownloadCursor(serverVersion: version),
            query: query, next: next, scratch: ViewScratch())
        }
      }
      let search = Search(thread: thread, task: task, isOver: isOver)
      await search.waitForJob()
      return search
    }
  }

  struct Search {
    let thread: HeldThread
    let task: Task<Result<ViewDownload, SessionRefusal>, any Error>
    let isOver: Locked<Bool>

    func waitForJob() async {
      while !thread.hasJob, !isOver.withLock({ $0 }) { await Task.yield() }
    }

    /// Lets the search go on to its end.
    func end() async throws -> ViewDownload {
      while !isOver.withLock({ $0 }) {
        thread.runOne()
        await Task.yield()
      }
      return try await task.value.get()
    }
  }

  private static func objects(_ count: Int) -> [[UInt8]] {
    [Text.schema()] + (0..<count).map { Text.create("\($0)", count: Int64($0)) }
  }

  /// What a download does, without its versions.
  private func lines(_ download: ViewDownload) throws -> [String] {
    var entries = download.round.entries
    if let bootstrap = download.bootstrap { entries += try bootstrap.allEntries() }
    return try entries.flatMap { entry in
      let changeset = try ChangesetParser.parse(entry.changeset)
      return changeset.instructions.map { changeset.line($0) }
    }
  }

  @Test(arguments: [false, true]) func uploadsDoNotWaitForASearch(isNew: Bool) async throws {
    let bench = try await Bench(Self.objects(5))
    let reader = try await bench.server.realm.allocateFile(for: "reader")
    let chain = EffectiveQuery([
      "Thing": (0..<50).map { "count == \($0)" }.joined(separator: " OR ")
    ])
    let search =
      isNew
      ? try await bench.begin(reader, at: 6, EffectiveQuery(), next: chain)
      : try await bench.begin(reader, at: 3, chain, next: nil)
    // The search waits, and has not ended.
    expectTrue(bench.thread.hasJob)
    let isIntegrated = Locked(false)
    let task = Task { [server = bench.server, writer = bench.writer] in
      let upload = Upload(writer, [Text.create("new", count: 7)], from: 7, base: 6)
      let outcome = await server.realm.integrate(upload)
      isIntegrated.withLock { $0 = true }
      return outcome.code
    }
    for _ in 0..<5_000 where !isIntegrated.withLock({ $0 }) {
      try await Task.sleep(for: .milliseconds(1))
    }
    expectTrue(isIntegrated.withLock { $0 }, "an upload waits for a search")
    let text = try lines(try await search.end()).joined(separator: "\n")
    await expectEqual(task.value, nil)
    if isNew { expectTrue(text.contains("CreateObject \"Thing\"[\"new\"]"), "\(text)") }
  }

  @Test func aShortSearchNeedsNoOtherThread() async throws {
    let bench = try await Bench(Self.objects(5))
    let reader = try await bench.server.realm.allocateFile(for: "reader")
    let usual = ViewSearch.shortComparisonCountMax
    let few = EffectiveQuery(["Thing": "count >= 0"])
    let short = try await bench.begin(reader, at: 3, few, next: nil, shortest: usual)
    expectFalse(bench.thread.hasJob)
    let lines = try lines(try await short.end())
    expectEqual(lines.filter { $0.hasPrefix("CreateObject") }.count, 3, "\(lines)")

    // One look-up, of which the text is long to read.
    let chain = (0..<50).map { "count == \($0)" }.joined(separator: " OR ")
    let query = EffectiveQuery(["Thing": chain])
    let long = try await bench.begin(reader, at: 3, query, next: nil, shortest: usual)
    expectTrue(bench.thread.hasJob)
    _ = try await long.end()
  }

  /// A short text of three comparisons, for few and for many objects.
  @Test(arguments: [(250, true), (350, false)])
  func aSearchOfManyObjectsIsNotShort(count: Int, isShort: Bool) async throws {
    let bench = try await Bench(Self.objects(count))
    let reader = try await bench.server.realm.allocateFile(for: "reader")
    let query = EffectiveQuery(["Thing": "count >= 0 AND count < 900 AND count != 1"])
    let search = try await bench.begin(
      reader, at: 1, query, next: nil, shortest: ViewSearch.shortComparisonCountMax)
    expectEqual(bench.thread.hasJob, !isShort)
    _ = try await search.end()
  }

  /// `ViewSearch` 1
  @Test(arguments: RandomRuns.seeds(40))
  func whatIsWrittenDuringASearchIsInItsResult(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let keys = ["a", "b", "c", "d", "e"]
    var present = Set(keys)
    func change() -> [UInt8] {
      let key = keys.randomElement(using: &random) ?? "a"
      let count = Int64.random(in: 0..<6, using: &random)
      if present.insert(key).inserted { return Text.create(key, count: count) }
      guard random.chance(0.3) else { return Text.set(key, count: count) }
      present.remove(key)
      return Text.erase(key)
    }
    func query() -> EffectiveQuery {
      let low = Int.random(in: 0..<6, using: &random)
      return EffectiveQuery(["Thing": "count >= \(low) AND count < \(low + 3)"])
    }
    let first = [Text.schema()] + keys.map { Text.create($0, count: 3) }
    var bench = try await Bench(first + (0..<6).map { _ in change() })
    let cursor = await bench.server.realm.head.version - UInt64.random(in: 0..<4, using: &random)
    let (before, next) = (query(), random.chance(0.7) ? query() : nil)
    let file = try await bench.server.realm.allocateFile(for: "reader")
    // Half of the searches have many turns, between those of another user.
    let limit = seed % 2 == 0 ? 1 : SearchShare.comparisonCountMax
    let (search, other) = try await SearchShare.$comparisonCountMax.withValue(limit) {
      (
        try await bench.begin(file, at: cursor, before, next: next),
        try await bench.begin(bench.writer, at: cursor, next ?? before, next: before)
      )
    }
    for _ in 0..<Int.random(in: 0..<4, using: &random) {
      if random.chance(0.8) {
        let count = Int.random(in: 1..<4, using: &random)
        try await bench.upload((0..<count).map { _ in change() })
      } else {
        // The query of another client makes versions without changes.
        try await bench.makeVersion()
      }
      search.thread.runOne()
      await search.waitForJob()
    }
    let found = try await search.end()
    _ = try await other.end()
    let twin = try await bench.server.realm.allocateFile(for: "twin")
    let again = try await bench.begin(twin, at: cursor, before, next: next).end()
    // A round without parts of the server's own is right, whatever was written since.
    let version = found.round.cursors.download.serverVersion
    guard next != nil || version == again.round.cursors.download.serverVersion else { return }
    try expectEqual(lines(found), lines(again), "seed \(seed)")
  }

  /// The refusal leaves the session as it was.
  @Test func aQueryOfTooManyComparisonsIsRefused() async throws {
    let bench = SessionBench(.flexible)
    let (session, _) = try await bench.running()
    let changes = [Text.schema()] + (0..<10 as Range<Int64>).map { Text.create("\($0)", count: $0) }
    _ = await bench.upload(changes, by: session)
    let query = SessionBench.query(1, ["Thing": "count > 1 AND count < 5"])
    let reply = await View.$searchComparisonCountMax.withValue(19) {
      await session.perform(.setQuery(query))
    }
    guard case .queryRefused(let message) = reply else {
      Issue.record("\(reply)")
      return
    }
    expectEqual(
      message,
      "Invalid query: \"Thing\": a condition of 2 comparisons is too costly for 10 objects")
    // A chain of equalities is one comparison, whatever its length.
    let chain = (0..<100).map { "count == \($0)" }.joined(separator: " OR ")
    for text in ["count > 1 AND count < 5", chain] {
      let reply = await View.$searchComparisonCountMax.withValue(20) {
        await session.perform(.setQuery(SessionBench.query(2, ["Thing": text])))
      }
      guard case .done = reply else {
        Issue.record("\(reply)")
        continue
      }
    }
  }
}
