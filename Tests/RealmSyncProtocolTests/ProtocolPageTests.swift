// SPDX-License-Identifier: Apache-2.0

// The numbers that the pages of the protocol state are those of the code.

import Foundation
import TestExtensions
import Testing

@testable import RealmSyncProtocol

/// Compares tables of `Documentation/Protocol` with the code, row by row.
@Suite("Pages of the protocol")
struct ProtocolPageTests {
  private static let pages: String = {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let folder = root.appending(path: "Documentation/Protocol")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().compactMap {
      try? String(contentsOf: folder.appending(path: $0), encoding: .utf8)
    }.joined(separator: "\n")
  }()

  /// The text of a section up to the next one of its kind.
  private func section(_ name: String) throws -> Substring {
    let heading = try #require(Self.pages.range(of: "### \(name) "), "no section \(name)")
    let rest = Self.pages[heading.upperBound...]
    return rest[..<(rest.range(of: "\n### ")?.lowerBound ?? rest.endIndex)]
  }

  /// The rows of a section's tables as cells.
  private func rows(_ name: String) throws -> [[String]] {
    try section(name).split(separator: "\n").filter { $0.hasPrefix("| ") }.map { line in
      line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
        .map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  /// The number at the beginning of a cell.
  private func number(_ cell: String) -> Int? {
    if cell.hasPrefix("0x") { return Int(cell.dropFirst(2), radix: 16) }
    let plain = cell.replacing("−", with: "-")
    return Int(plain.prefix { $0 == "-" || $0.isNumber })
  }

  @Test func tagsOfInstructions() throws {
    var tags: [Int: String] = [:]
    for row in try rows("P2 A.3") {
      if let tag = number(row[0]) { tags[tag] = row[1] }
      if let tag = number(row[2]) { tags[tag] = row[3] }
    }
    for value in UInt8.min...UInt8.max {
      guard let tag = InstructionTag(rawValue: value) else {
        expectEqual(tags[Int(value)], nil)
        continue
      }
      let name = try #require(tags[Int(value)], "no row for \(tag)")
      expectTrue(tag == .defineString || "\(tag)".lowercased() == name.lowercased())
    }
  }

  @Test func typesOfPayloads() throws {
    let names = try rows("P2 A.4").reduce(into: [Int: String]()) { names, row in
      if let type = number(row[0]) { names[type] = row[1] }
    }
    expectEqual(names.count, PayloadType.allCases.count)
    for type in PayloadType.allCases {
      expectEqual(names[Int(type.rawValue)]?.lowercased(), "\(type)".lowercased())
    }
  }

  @Test func codesOfErrors() throws {
    var sent: Set<Int> = [], forbidden: Set<Int> = []
    for row in try rows("P1 C.6") {
      let codes = row[0].split(separator: ",").compactMap {
        number($0.trimmingCharacters(in: .whitespaces))
      }
      for code in codes {
        if row[2].contains("do not send") { forbidden.insert(code) } else { sent.insert(code) }
        guard let known = SessionErrorCode(rawValue: code), !row[2].isEmpty else { continue }
        expectTrue(row[2].hasPrefix(known.usualAction.rawValue), "\(code)")
      }
    }
    expectEqual(sent, Set(SessionErrorCode.allCases.map(\.rawValue)))
    expectTrue(forbidden.isDisjoint(with: sent))
    expectEqual(forbidden.count, 11)
    let connection = try section("P1 C.6").components(separatedBy: "Session level")[0]
    let words = connection.split { $0 == "," || $0 == "\n" || $0 == " " }
    let codes = Set(words.compactMap { Int($0) }.filter { $0 >= 100 })
    // 104 has no case, as deployed clients do not survive it.
    expectEqual(codes, Set(ConnectionErrorCode.allCases.map(\.rawValue) + [104]))
  }

  @Test func actionsOfErrors() throws {
    let text = try section("P1 C.5")
    for action in ErrorAction.allCases {
      expectTrue(text.contains("`\(action.rawValue)`"))
    }
  }

  @Test func times() throws {
    let times = SyncTimeouts()
    let rows = try rows("P1 B.4")
    func seconds(_ begin: String) -> Milliseconds? {
      rows.first { $0[0].hasPrefix(begin) }
        .flatMap { number($0[1]) }.map { Milliseconds($0 * 1000) }
    }
    expectEqual(seconds("connect timeout"), times.connect)
    expectEqual(seconds("connection linger"), times.linger)
    expectEqual(seconds("ping period"), times.pingPeriod)
    expectEqual(seconds("pong timeout"), times.pong)
    expectEqual(seconds("fast reconnect"), times.fastReconnect)
    expectEqual(seconds("fixed retry"), times.sessionClosed)
  }
}
