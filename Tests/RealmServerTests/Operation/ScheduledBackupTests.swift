// SPDX-License-Identifier: Apache-2.0

// Backups that a server makes by itself, by a clock that the test moves.

#if Server
import Foundation
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServer
@testable import RealmServerKit

@Suite(.timeLimit(.minutes(10))) struct ScheduledBackupTests {
  /// The folder of a server that has run, with a clock.
  private final class Place: Sendable {
    let directory: TemporaryDirectory
    private let time: Locked<OriginTimestamp>

    init(keep: Int = 2) async throws {
      let server = try await RunningServer(mode: .flexible)
      _ = try await server.user()
      try await server.stop()
      directory = server.directory
      time = Locked(Place.time("2026-05-04T10:00:00Z"))
      try write(#"{"backups":{"folder":"../backups","keep":\#(keep)}}"#)
    }

    static func time(_ text: String) -> OriginTimestamp {
      let date = (try? Date(text, strategy: .iso8601)) ?? .distantPast
      return OriginTimestamp(unixMilliseconds: Int64(date.timeIntervalSince1970) * 1_000)
    }

    var data: String { directory.file("data") }
    var backups: String { directory.file("backups") }
    var clock: ServerClock { ServerClock { [time] in time.withLock { $0 } } }

    func write(_ settings: String) throws {
      try Data(settings.utf8).write(to: URL(fileURLWithPath: data + "/server.json"))
    }

    func set(_ text: String) { time.withLock { $0 = Place.time(text) } }

    /// As after a start of the server.
    func start() throws -> ScheduledBackups {
      try ScheduledBackups(ServerDirectory(existing: data), isShared: false, clock: clock)
    }

    /// The names of what the folder has, but for the note about its owner.
    func names() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: backups).sorted()
        .filter { $0 != "server.path" }
    }
  }

  /// `ScheduledBackups` 1, `BackupFolder` 1 and 2
  @Test func backupsAreMadeCheckedAndRemovedByTheSchedule() async throws {
    let place = try await Place()
    var backups = try place.start()
    expectEqual(backups.lastSeconds, 0)
    // Without any backup the first is due at once: a mistake is seen at once, too.
    expectTrue(backups.isDue)
    let report = try #require(backups.make()).get()
    expectEqual(report.realmCount, 0)
    expectEqual(try place.names(), ["2026-05-04T100000Z"])
    expectFalse(try FolderCheck(place.backups + "/2026-05-04T100000Z").isDamaged)
    for (time, isDue) in [
      ("2026-05-04T10:00:00Z", false), ("2026-05-05T02:59:59Z", false),
      ("2026-05-05T03:00:00Z", true),
    ] {
      place.set(time)
      expectEqual(backups.isDue, isDue, "\(time)")
    }
    _ = try #require(backups.make()).get()
    // A restart forgets nothing.
    backups = try place.start()
    expectFalse(backups.isDue)
    expectEqual(backups.json["last"]?.string, "2026-05-05T03:00:00Z")
    // What was due while no server ran is made at the start, once.
    place.set("2026-05-08T12:34:56Z")
    backups = try place.start()
    expectTrue(backups.isDue)
    _ = try #require(backups.make()).get()
    expectFalse(backups.isDue)
    expectEqual(try place.names(), ["2026-05-05T030000Z", "2026-05-08T123456Z"])
    // A clock that was ahead keeps nothing from being made, and removes nothing.
    place.set("2026-05-06T00:00:00Z")
    backups = try place.start()
    expectFalse(backups.isDue)
    place.set("2026-05-06T03:00:00Z")
    _ = try #require(backups.make()).get()
    expectEqual(
      try place.names(), ["2026-05-05T030000Z", "2026-05-06T030000Z", "2026-05-08T123456Z"])
  }

  /// `ScheduledBackups` 2
  @Test func aFailureIsToldAndTriedAgain() async throws {
    let place = try await Place()
    try Data().write(to: URL(fileURLWithPath: place.backups))
    let backups = try place.start()
    guard case .failure(let failure)? = backups.make() else {
      Issue.record("a backup in a file")
      return
    }
    expectTrue(
      failure.description.contains("Name another place with \"folder\" in server.json."),
      "\(failure)")
    expectEqual(backups.failureCount, 1)
    expectEqual(backups.json["failure"]?.string, failure.description)
    expectEqual(backups.lastSeconds, 0)
    // It is tried again after a quarter of an hour, or when the settings are others.
    for (time, isDue) in [("2026-05-04T10:14:59Z", false), ("2026-05-04T10:15:00Z", true)] {
      place.set(time)
      expectEqual(backups.isDue, isDue, "\(time)")
    }
    try FileManager.default.removeItem(atPath: place.backups)
    _ = try #require(backups.make()).get()
    expectEqual(backups.json["failure"], .null)
    expectEqual(backups.failureCount, 1)
    expectEqual(try place.names(), ["2026-05-04T101500Z"])
  }

  /// `BackupFolder` 2
  @Test func aDamagedBackupReplacesNoOther() async throws {
    let place = try await Place(keep: 1)
    let backups = try place.start()
    _ = try #require(backups.make()).get()
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: place.data + "/keys/tokens"))
    for (time, name) in [
      ("2026-05-05T03:00:00Z", "2026-05-05T030000Z"),
      ("2026-05-05T03:15:00Z", "2026-05-05T031500Z"),
    ] {
      place.set(time)
      expectTrue(backups.isDue)
      guard case .failure(let failure)? = backups.make() else {
        Issue.record("a key of three bytes is no damage")
        return
      }
      #expect(
        failure.description.hasPrefix(
          "The backup has 1 damaged file, the first is keys/tokens: it has 3 bytes in place of 32. "
            + "It is in \(BackupFolder("../backups", of: place.data).path)/\(name).damaged;"),
        "\(failure)")
      expectEqual(try place.names(), ["2026-05-04T100000Z", "\(name).damaged"])
    }
  }

  /// `BackupFolder` 1
  @Test func whatAnInterruptionLeavesIsRemovedAndNothingElse() async throws {
    let place = try await Place()
    let others = ["2026-05-01", "2026-05-01T000000Z.unchecked.txt", "notes", "x.unchecked"]
    let left = ["2026-05-01T000000Z.unchecked", "2026-05-02T000000Z.unchecked.unfinished"]
    for name in others + left {
      try FileManager.default.createDirectory(
        atPath: "\(place.backups)/\(name)", withIntermediateDirectories: true)
    }
    let folder = BackupFolder("../backups", of: place.data)
    let count = Locked(0)
    // It ends at each file, and after the last one.
    var isMade = false
    for last in 0..<100 where !isMade {
      count.withLock { $0 = 0 }
      do throws(ServerFailure) {
        _ = try folder.make(keeping: 2, clock: place.clock) {
          count.withLock { count in
            count += 1
            return count <= last
          }
        }
        isMade = true
        expectTrue(last > 3, "\(last)")
      } catch {
        expectEqual(error, Backup.interruption)
        expectEqual(folder.times(upTo: place.clock.now()), [])
      }
    }
    expectTrue(isMade)
    expectEqual(try place.names(), (others + ["2026-05-04T100000Z"]).sorted())
  }

  /// `BackupFolder` 3
  @Test func theBackupsOfAnotherServerStay() async throws {
    let (place, other) = (try await Place(), try await Place())
    _ = try #require(try place.start().make()).get()
    try other.write(#"{"backups":{"folder":"\#(place.backups)","keep":1}}"#)
    other.set("2026-05-05T10:00:00Z")
    guard case .failure(let failure)? = try other.start().make() else {
      Issue.record("two servers share a folder of backups")
      return
    }
    expectTrue(failure.description.contains(" has the backups of the server in "), "\(failure)")
    expectEqual(try place.names(), ["2026-05-04T100000Z"])
  }

  @Test func namesAreTimes() {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<200 {
      let seconds = Int64.random(in: 1_500_000_000...4_000_000_000, using: &random)
      let time = OriginTimestamp(unixMilliseconds: seconds * 1_000)
      expectEqual(BackupFolder.time(BackupFolder.name(time)), time)
    }
    for name in [
      "", "2026-05-04", "2026-05-04T030201", "2026-13-04T030201Z", "2026-05-04T030261Z",
      "2026-05-04T03:02:01Z", "2026-05-04X030201Z", "2026-05-04T030201Zx", "äöüäöüäöüäTäöüäöü",
    ] { expectEqual(BackupFolder.time(name), nil, "\(name)") }
  }

  // MARK: Settings

  @Test(arguments: [
    ("[]", "needs \"the file\" as an object"), ("{", "is not JSON"),
    (
      #"{"backup":{}}"#,
      "has the unknown key \"backup\" in \"the file\": there is backups (line 1, column"
    ),
    (#"{"backups":{}}"#, "needs a \"folder\" in \"backups\""),
    (#"{"backups":{"folder":""}}"#, "has a \"folder\" that is no text"),
    (#"{"backups":{"folder":"x","days":1}}"#, "has the unknown key \"days\" in \"backups\""),
    (
      #"{"backups":{"folder":"x","schedule":"daily"}}"#,
      "has a \"schedule\" that is none: a schedule has five fields"
    ),
    (#"{"backups":{"folder":"x","keep":0}}"#, "has a \"keep\" that is no number from 1 to 10000"),
    (#"{"backups":{"folder":"x","keep":"7"}}"#, "has a \"keep\" that is no number from 1 to 10000"),
  ])
  func aMistakeInTheSettingsHasItsPlace(_ text: String, _ expected: String) async throws {
    let failure = #expect(throws: AppFileError.self) { try ServerSettingsFile(Array(text.utf8)) }
    expectTrue(failure?.description.hasPrefix(expected) == true, "\(failure as Any)")
  }

  @Test func theSettingsOfAServerInADatabaseHaveNoBackups() async throws {
    let place = try await Place()
    let refused = #expect(throws: ServerFailure.self) {
      try ScheduledBackups(
        ServerDirectory(existing: place.data), isShared: true, clock: place.clock)
    }
    expectTrue(refused?.description.contains("use the tools of PostgreSQL") == true)
    try place.write("{}")
    _ = try ScheduledBackups(
      ServerDirectory(existing: place.data), isShared: true, clock: place.clock)
  }

  // MARK: A server

  @Test func aServerMakesThemAndTellsOfThem() async throws {
    let place = try await Place()
    let server = try await RunningServer(place.directory)
    func wait(_ condition: () async throws -> Bool) async throws {
      for _ in 0..<3_000 {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(20))
      }
      Issue.record("the condition does not come to hold")
    }
    let backups = server.program.backups
    try await wait { backups.json["last"]?.string != nil }
    expectEqual(try place.names().count, 1)
    await server.program.status.measure()
    let text = server.metrics.text
    expectTrue(text.contains("\nrealm_backup_failures 0.0\n"))
    expectTrue(text.contains("\nrealm_backup_time_seconds "))
    expectFalse(text.contains("\nrealm_backup_time_seconds 0.0\n"))
    let overview = await server.program.status.overview()
    expectEqual(overview["server"]?["backups"], backups.json)
    // Other settings are applied while it runs; what fails is a warning in the log and on the page.
    try Data().write(to: URL(fileURLWithPath: place.directory.file("file")))
    try place.write(#"{"backups":{"folder":"../file/x","schedule":"* * * * *"}}"#)
    let applied = try await ApplyCommand.answer(place.data)
    expectTrue(applied.contains("Backups are made in "), "\(applied)")
    expectTrue(applied.contains("\"* * * * *\" (UTC), and the last 14 are kept"), "\(applied)")
    try await wait { backups.failureCount > 0 }
    let notices = await server.program.status.overview()["notices"]?.array ?? []
    #expect(
      notices.contains { notice in
        notice["level"]?.string == "warning"
          && notice["text"]?.string?.hasPrefix("No backup was made: ") == true
      })
    // A mistake changes nothing.
    try place.write(#"{"backups":{"folder":7}}"#)
    await #expect(throws: ServerFailure.self) { _ = try await ApplyCommand.answer(place.data) }
    expectEqual(backups.json["schedule"]?.string, "* * * * *")
    try FileManager.default.removeItem(atPath: place.data + "/server.json")
    let without = try await ApplyCommand.answer(place.data)
    expectTrue(without.contains("The server makes no backups any more"), "\(without)")
    expectEqual(backups.json, .null)
    try await server.stop()
  }
}
#endif
