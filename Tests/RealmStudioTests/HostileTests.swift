// SPDX-License-Identifier: Apache-2.0

// Requests that no page sends, and files that are damaged.

#if Tools
import Foundation
import RealmPages
import RealmStorage
import RealmFormats
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStudio

struct HostileTests {
  @Test(arguments: [
    "/../Package.swift", "/%2e%2e/%2e%2e/etc/passwd", "/api/files/0", "/api/files/-1/schema",
    "/api/files/99999999999999999999/schema", "/api/files/0/schema/", "//", "/Page/index.html",
    "/index.html%00.js", "", "%", "/api/files/0/nothing",
  ])
  func unknownPathsAreNotFound(_ target: String) async throws {
    let studio = try await TestStudio()
    let response = await studio.service.respond(to: studio.request("GET", target))
    expectEqual(response.status, 404)
  }

  @Test(arguments: [
    ["start": "-1"], ["start": "x"], ["count": "501"], ["count": "99999999999999999999999"],
    ["start": "9223372036854775807"], ["sort": "tags"], ["sort": "friend"],
    ["query": String(repeating: "(", count: 8_000)],
    ["query": String(repeating: "a", count: 9_000)],
    ["query": "name == \u{0}"],
    ["query": "SUBQUERY(friends, $x, $x.friends.@count > 0).@count > 1)"],
    ["query": "name == %@"], ["query": "age == obj('Person', 'x')"], ["query": "LIMIT(-1)"],
  ])
  func wrongParametersAreErrorsThatSayWhy(_ parameters: [String: String]) async throws {
    let studio = try await TestStudio()
    let (status, json) = try await studio.failure(
      "rows", parameters.merging(["class": "Person"]) { first, _ in first })
    expectEqual(status, 400)
    expectEqual(json["error"]?.string?.isEmpty, false)
  }

  @Test func windowsPastTheEndAreEmpty() async throws {
    let studio = try await TestStudio()
    let json = try await studio.get(
      "rows", ["class": "Person", "start": "\(Int32.max)", "count": "500"])
    expectEqual(json["rows"]?.array?.isEmpty, true)
    expectEqual(json["total"]?.integer, 8)
  }

  @Test(arguments: [
    "", "null", "[]", "{", #"{"kind":"set"}"#, #"{"kind":"set","class":"Person","path":[-1]}"#,
    #"{"kind":"set","class":"Person","key":"0","property":"name","path":{"a":1}}"#,
    #"{"kind":"delete","class":"Person","keys":["x"]}"#, "\u{1}",
    #"{"kind":"set","class":"Person","key":"0","property":"name","value":[[[[]]]]}"#,
  ])
  func editsThatAreNoneAreRefused(_ text: String) async throws {
    let studio = try await TestStudio()
    try await studio.post("begin")
    var request = studio.request("POST", "/api/files/0/edit")
    request.body = Array(text.utf8)
    let (status, json) = try await studio.send(request)
    expectTrue((400..<500).contains(status))
    expectTrue(json["error"] != nil)
  }

  @Test func deepJSONIsRefused() async throws {
    let studio = try await TestStudio()
    try await studio.post("begin")
    var request = studio.request("POST", "/api/files/0/edit")
    request.body = Array(repeating: UInt8(ascii: "["), count: 500_000)
    try await expectEqual(studio.send(request).status, 400)
    request.body = Array(repeating: UInt8(ascii: " "), count: (1 << 20) + 1)
    try await expectEqual(studio.send(request).status, 413)
  }

  @Test func otherMethodsAreRefused() async throws {
    let studio = try await TestStudio()
    var request = studio.request("POST", "/api/files")
    request.method = "DELETE"
    try await expectEqual(studio.send(request).status, 405)
  }

  @Test func damagedFilesAreErrors() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("sample.realm")
    try SampleFile.makePeople(path)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    for (name, content) in [
      ("empty", Data()), ("text", Data("Not a database, but a text of some length.".utf8)),
      ("cut", bytes.prefix(bytes.count / 2)),
    ] {
      let damaged = directory.file("\(name).realm")
      try content.write(to: URL(fileURLWithPath: damaged))
      var options = StudioOptions(files: [StudioFile(path: damaged)])
      var random = SystemRandomNumberGenerator()
      #expect(throws: (any Error).self) { try StudioService(options, random: &random) }
      try expectEqual(Data(contentsOf: URL(fileURLWithPath: damaged)), content)
      guard name == "empty" else { continue }
      // To be written, an empty file is a new database.
      options.isWritable = true
      _ = try StudioService(options, random: &random)
    }
  }

  /// Bytes of a file are turned over at random: whatever is asked about it is answered.
  @Test func everyRequestAboutADamagedFileIsAnswered() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("sample.realm")
    try SampleFile.makePeople(path)
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    var random = SeededGenerator(seed: 99)
    var failureCount = 0
    for round in 0..<40 {
      var damaged = bytes
      for _ in 0..<8 {
        damaged[Int.random(in: 24..<damaged.count, using: &random)] ^= UInt8.random(
          in: 1...255, using: &random)
      }
      let copy = damaged
      do {
        let studio = try await TestStudio(isWritable: false) { path in
          try Data(copy).write(to: URL(fileURLWithPath: path))
        }
        for request in [
          "schema", "rows?class=Person", "rows?class=Dog&sort=name", "object?class=Person&key=0",
          "rows?class=Person&query=friends.@count>0", "histogram?class=Person&property=age",
        ] {
          let (status, _) = try await studio.send(
            studio.request("GET", "/api/files/0/\(request)"))
          if status != 200 { failureCount += 1 }
        }
      } catch is StudioFailure {
        failureCount += 1
      } catch {
        Issue.record("round \(round): \(error)")
      }
    }
    expectTrue(failureCount > 0)
  }

  @Test func missingFilesAndWrongKeysSayWhatToDo() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("sample.realm")
    try SampleFile.makePeople(path)
    var random = SystemRandomNumberGenerator()
    for file in [
      StudioFile(path: directory.file("missing.realm")),
      StudioFile(path: path, encryptionKey: EncryptionKey([UInt8](repeating: 3, count: 64))),
    ] {
      #expect(throws: StudioFailure.self) {
        try StudioService(StudioOptions(files: [file]), random: &random)
      }
    }
    expectFalse(FileManager.default.fileExists(atPath: directory.file("missing.realm")))
  }
}
#endif
