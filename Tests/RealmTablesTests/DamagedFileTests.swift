// SPDX-License-Identifier: Apache-2.0

// Files with flipped bits: reading them gives values or errors, never a trap and never no end.

import Foundation
import RealmStorage
import RealmTestSupport
import Testing

@testable import RealmTables

/// `REALM_FLIP_ROUNDS` makes the search longer.
@Suite("Damaged files")
struct DamagedFileTests {
  static let rounds =
    ProcessInfo.processInfo.environment["REALM_FLIP_ROUNDS"].flatMap { Int($0) } ?? 8

  @Test(
    "are read or refused",
    arguments: ["after-many-commits", "all-types", "schema-changes", "tombstones", "empty"])
  func flips(name: String) throws {
    let bytes = try Fixture(name).bytes()
    // Most bytes are data; what makes a reader stumble are headers, refs and counts.
    let headers = stride(from: 24, to: bytes.count - 24, by: 8).filter { offset in
      bytes[offset..<offset + 4].allSatisfy { $0 == 0x41 }
    }
    let rounds = max(2, Self.rounds * 300_000 / (bytes.count + 300_000))
    RandomRuns.report(rounds, "damaged files")
    for round in 0..<rounds {
      var random = SeededGenerator(seed: UInt64(round))
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        var offset = Int.random(in: 24..<bytes.count, using: &random)
        if random.chance(70), let header = headers.randomElement(using: &random) {
          offset = header + Int.random(in: 4..<24, using: &random)
        }
        damaged[offset] ^= UInt8(1) << UInt8.random(in: 0..<8, using: &random)
      }
      guard let image = try? FileImage(damaged) else { continue }
      let findings = image.findings()
      do { try read(image) } catch {
        #expect(!findings.isEmpty, "round \(round): a read fails, the check is silent: \(error)")
      }
    }
  }

  /// The search can fail: damage that matters is reported by the check, and met by the reads.
  @Test("are reported and met", arguments: ["after-many-commits", "all-types", "todo"])
  func aLostNodeIsReportedAndMet(name: String) throws {
    let whole = try FileImage(fixture: name)
    #expect(whole.findings().isEmpty)
    try read(whole)
    let image = try FileImage(fixture: name)
    let table = try #require((0..<(try image.node([]).count)).last)
    // A ref that leads nowhere takes the place of the table's tree of objects.
    try image.set(Int64(image.space.fileEnd) + 8, at: TableSlot.clusters, path: [table])
    #expect(!image.findings().isEmpty)
    #expect(throws: (any Error).self) { try read(image) }
  }

  /// Reads everything there is, by every way to get at it.
  private func read(_ image: FileImage) throws {
    let slots = try image.node([])
    let names = try image.space.node(at: image.tableNames)
    var tables: [Table] = []
    for index in 0..<slots.count {
      guard let ref = Ref(slot: try slots.integer(at: index)) else { continue }
      let top = try TableTop(at: ref, in: image.space)
      let name = try NameLeaf.name(at: index, of: names)
      let schema = try SchemaDecoder(top, name: name, in: image.space).decode()
      tables.append(Table(top, schema: schema, in: image.space))
    }
    var failure: (any Error)?
    for table in tables {
      do { try read(table) } catch { failure = error }
    }
    _ = try ContentDump(tables).json()
    if let failure { throw failure }
  }

  private func read(_ table: Table) throws {
    var cursor = table.clusterCursor()
    while let cluster = try cursor.next() {
      for index in stride(from: 0, to: cluster.count, by: 16) {
        let key = cluster.key(at: index)
        _ = try table.row(of: key)
        _ = try table.position(of: key)
        for column in table.schema.columns where column.hasIndex {
          guard !column.isFullText, column.collection == .none else { continue }
          let value = try cluster.row(at: index).mixedValue(of: column)
          _ = try table.index(of: column)?.findAll(value)
        }
      }
    }
  }
}
