// SPDX-License-Identifier: Apache-2.0

// Full-text indexes against the words of each text; every commit is checked entry by entry.

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

struct FullTextIndexTests {
  /// Words that share chunks, end with them, and go on behind them.
  private static let words = [
    "a", "ab", "abc", "abcd", "abcde", "abcdefgh", "abcdefghi", "abcx", "zebra", "été", "Straße",
    "ÆON", "x1", "abcdefghijklmnopqrstuvwxyz0123456789", "Abcd",
  ]

  private static func text(_ random: inout SeededGenerator) -> String? {
    if random.chance(0.15) { return random.chance(0.5) ? nil : "" }
    return (0..<Int.random(in: 1...4, using: &random)).map { _ in
      words.randomElement(using: &random) ?? "a"
    }.joined(separator: [" ", ", ", "-", "×"].randomElement(using: &random) ?? " ")
  }

  @Test(arguments: [UInt64](1...4)) func wordsAreFoundWhateverIsWritten(seed: UInt64) throws {
    let database = try TestDatabase()
    var random = SeededGenerator(seed: seed)
    let column = try database.write { group in
      let table = try group.createTable(named: "class_Text")
      let column = try table.addColumn(named: "text", type: .string, isNullable: true)
      if seed % 2 == 0 { try table.columns.setIndex(.fullText, column.key) }
      return column.key
    }
    var texts: [ObjectKey: String?] = [:]
    for round in 0..<12 {
      try database.write { group in
        let table = try #require(try group.table(named: "class_Text"))
        if round == 3 { try table.columns.setIndex(.fullText, column) }
        if round == 8, seed == 3 {
          try table.deleteAll()
          texts = [:]
        }
        for _ in 0..<Int.random(in: 1...20, using: &random) {
          try Self.change(table, &texts, &random)
        }
      }
      guard round >= 3 || seed % 2 == 0 else { continue }
      try Self.compare(try database.table("class_Text"), texts)
    }
    try database.write { group in
      let table = try #require(try group.table(named: "class_Text"))
      try table.columns.setIndex(.general, column)
      expectTrue(table.schema.columns[0].isIndexed)
      expectFalse(table.schema.columns[0].isFullText)
    }
  }

  private static func change(
    _ table: WritableTable, _ texts: inout [ObjectKey: String?], _ random: inout SeededGenerator
  ) throws {
    let column = table.schema.columns[0]
    let key = texts.keys.sorted().randomElement(using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0, 1:
      let (key, _) = try table.createObject()
      let text = text(&random)
      try table.set(text.map { .string($0) } ?? .null, column, key)
      texts[key] = .some(text)
    case 2:
      guard let key else { return }
      let text = text(&random)
      try table.set(text.map { .string($0) } ?? .null, column, key)
      texts[key] = .some(text)
    default:
      guard let key else { return }
      try table.delete(key)
      texts[key] = nil
    }
  }

  private static func tokens(_ text: String?) -> Set<FullTextTokenizer.Token> {
    Array((text ?? "").utf8).withUnsafeBytes { FullTextTokenizer.tokens(of: $0) }
  }

  private static func compare(_ table: Table, _ texts: [ObjectKey: String?]) throws {
    let index = try #require(try table.wordIndex(of: table.schema.columns[0]))
    let tokens = texts.mapValues { Self.tokens($0) }
    for word in words + ["nothing", "abcdef"] {
      let token = try #require(Self.tokens(word).first)
      let expected = tokens.filter { $0.value.contains(token) }.keys.sorted()
      try expectEqual(index.objects(with: token), expected, "\(word)")
      let beginning = tokens.filter { $0.value.contains { $0.bytes.starts(with: token.bytes) } }
      try expectEqual(index.objects(withPrefix: token), beginning.keys.sorted(), "\(word)*")
    }
  }

  @Test func stringsAreFoundByTheirBeginning() throws {
    let database = try TestDatabase()
    var random = SeededGenerator(seed: 8)
    var texts: [ObjectKey: String] = [:]
    try database.write { group in
      let table = try group.createTable(named: "class_Text")
      let column = try table.addColumn(named: "text", type: .string, isIndexed: true)
      for _ in 0..<300 {
        let (key, _) = try table.createObject()
        let text = text(random: &random)
        try table.set(.string(text), column, key)
        texts[key] = text
      }
    }
    let table = try database.table("class_Text")
    let index = try #require(try table.index(of: table.schema.columns[0]))
    for word in Self.words + ["", "ab", "abcdefghijkl", "é"] {
      let expected = Set(texts.filter { Array($0.value.utf8).starts(with: Array(word.utf8)) }.keys)
      let found = try Array(word.utf8).withByteView { (bytes) throws(StorageError) in
        try index.candidates(forPrefix: bytes, limit: .max)
      }
      expectTrue(expected.isSubset(of: found ?? []), "\(word)")
      if word.utf8.count < 4 { expectEqual(found, expected.sorted(), "\(word)") }
      let limited = try Array(word.utf8).withByteView { (bytes) throws(StorageError) in
        try index.candidates(forPrefix: bytes, limit: 1)
      }
      expectEqual((limited == nil), ((found?.count ?? 0) > 1))
    }
  }

  private func text(random: inout SeededGenerator) -> String {
    (0..<Int.random(in: 0...2, using: &random)).map { _ in
      Self.words.randomElement(using: &random) ?? "a"
    }.joined()
  }
}
