// SPDX-License-Identifier: Apache-2.0

// Studio without writing: what it shows, and that no byte changes.

#if Tools
import Foundation
import RealmFormats
import RealmPages
import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStudio

struct LookingTests {
  /// A state of a file that a writer would change when it opens it.
  enum State: String, CaseIterable, Sendable {
    case settled, tooLong, empty, blank, older, olderSynchronised, synchronised
    case unknownHistory
  }

  private func make(_ state: State, _ path: String) throws {
    let url = URL(fileURLWithPath: path)
    if state == .empty { return try Data().write(to: url) }
    if state == .blank {
      _ = try DatabaseFile.open(path: path)
      unsafe unlink(path + ".lock")
      return try Data(try Data(contentsOf: url).prefix(24)).write(to: url)
    }
    try SampleFile.makePeople(path)
    unsafe unlink(path + ".lock")
    let bytes = try Data(contentsOf: url)
    switch state {
    case .tooLong: try (bytes + Data(count: 40_000)).write(to: url)
    case .older: _ = try OlderFile.edit(path, format: 23)
    case .olderSynchronised: _ = try OlderFile.edit(path, format: 23, historyType: 3)
    case .synchronised, .unknownHistory:
      _ = try OlderFile.edit(path, format: nil, historyType: state == .synchronised ? 3 : 4)
    default: break
    }
  }

  /// `OpenedFile` 1
  @Test(arguments: State.allCases) func noByteChanges(_ state: State) async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("state.realm")
    try make(state, path)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    if state == .empty {
      #expect(throws: StorageError.self) {
        try OpenedFile(StudioFile(path: path), isWritable: false)
      }
    } else {
      let studio = try await TestStudio(isWritable: false) {
        try bytes.write(to: URL(fileURLWithPath: $0))
      }
      let answer = try await studio.send(studio.request("GET", "/api/files/0/schema"))
      expectEqual(answer.status, 200, "\(answer.json)")
      let classes = answer.json["classes"]?.array?.count ?? 0
      expectEqual(classes > 0, state != .blank)
      try expectEqual(Data(contentsOf: URL(fileURLWithPath: studio.path)), bytes)
      expectEqual(studio.database.isLive, state == .settled)
    }
    try expectEqual(Data(contentsOf: URL(fileURLWithPath: path)), bytes)
  }

  @Test func writingAnOlderFileIsRefused() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("state.realm")
    try make(.older, path)
    do {
      _ = try OpenedFile(StudioFile(path: path), isWritable: true)
      Issue.record("an older file was opened for writing")
    } catch {
      expectEqual(StudioFailure(error).remedy?.contains("Leave --write out"), true)
    }
  }
}
#endif
