// SPDX-License-Identifier: Apache-2.0

// Damage that is found while something is read: the program ends with a message that says what was
// read.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

private class Brittle: Object {
  @Persisted var int: Int
  @Persisted var double: Double
  @Persisted var bool: Bool?
  @Persisted var string: String
  @Persisted var data: Data
  @Persisted var date: Date?
  @Persisted var any: AnyRealmValue
  @Persisted var link: Brittle?
  @Persisted var list: List<Int>
  @Persisted var map: Map<String, Int>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }

  /// Reads all properties.
  func readAll() {
    _ = (int, double, bool, string, data, date, any, link)
    _ = (list.count, map.count)
  }
}

@Suite(.timeLimit(.minutes(10))) struct DamageReportTests {
  /// The properties that the messages of a process name, which reads a file with one byte changed,
  /// for each byte that has part of a reference or of a header.
  private static func namedProperties() throws -> Set<String> {
    let files = try TemporaryRealm([Brittle.self])
    do {
      let realm = try files.open()
      try realm.write {
        for number in 0..<2 {
          let text = String(repeating: "x", count: 100)
          let value: [String: Any] = [
            "int": number + 1_000_000, "double": 0.5, "bool": true, "string": text,
            "data": Data(text.utf8), "date": Date(timeIntervalSince1970: 0.5), "any": text,
            "list": [1, 2, 3_000_000], "map": ["a": 1],
          ]
          let object = realm.create(Brittle.self, value: value)
          object.link = object
        }
      }
    }
    let url = try #require(files.configuration.fileURL)
    let bytes = try Data(contentsOf: url)
    var named: Set<String> = []
    for position in stride(from: 24, to: bytes.count, by: 1) where bytes[position] != 0 {
      var damaged = bytes
      damaged[position] ^= 0x41
      let copy = files.directory.appendingPathComponent("\(position).realm")
      try damaged.write(to: copy)
      let text = Traps.text {
        let configuration = Realm.Configuration(fileURL: copy, objectTypes: [Brittle.self])
        guard let realm = try? Realm(configuration: configuration) else { return }
        for object in realm.objects(Brittle.self) { object.readAll() }
      }
      try? FileManager.default.removeItem(at: copy)
      guard let end = text.range(of: "' was read, object key "),
        let start = text.range(of: "(found while '")
      else { continue }
      named.insert(String(text[start.upperBound..<end.lowerBound]))
      if named.count == 4 { break }
    }
    return named
  }

  @Test func theMessageNamesClassObjectAndProperty() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let named = try DamageReportTests.namedProperties()
      FileHandle.standardError.write(Data("named: \(named.sorted())\n".utf8))
      exit(named.count > 3 && named.allSatisfy { $0.hasPrefix("Brittle.") } ? 0 : 1)
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    expectTrue(said.contains("named: [\"Brittle."), "\(said.suffix(400))")
  }
}
