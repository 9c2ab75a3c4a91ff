// SPDX-License-Identifier: Apache-2.0

// The numbers that the pages of the file format state are those of the code.

import Foundation
import TestExtensions
import Testing

@testable import RealmStorage
@testable import RealmTables

/// Compares tables of `Documentation/FileFormat` with the code, row by row.
@Suite("Pages of the file format")
struct FormatPageTests {
  private static let pages: String = {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let folder = root.appending(path: "Documentation/FileFormat")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().compactMap {
      try? String(contentsOf: folder.appending(path: $0), encoding: .utf8)
    }.joined(separator: "\n")
  }()

  /// The text of a section, without the sections below it.
  private func section(_ number: String) throws -> Substring {
    let heading = try #require(Self.pages.range(of: "# \(number) "), "no section \(number)")
    let rest = Self.pages[heading.upperBound...]
    return rest[..<(rest.range(of: "\n#")?.lowerBound ?? rest.endIndex)]
  }

  /// The rows of a section's tables as cells, without the heads.
  private func rows(_ number: String) throws -> [[String]] {
    try section(number).split(separator: "\n").filter { $0.hasPrefix("| ") }.map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  /// The numbers of a cell, decimal or hexadecimal; `37…42` are all from 37 to 42.
  private func numbers(_ cell: some StringProtocol) -> [Int] {
    let plain = String(cell.filter { $0 != "," && $0 != "_" })
    return plain.split { !$0.isHexDigit && $0 != "x" && $0 != "…" }.flatMap { word -> [Int] in
      let ends = word.split(separator: "…").compactMap { end in
        end.hasPrefix("0x") ? Int(end.dropFirst(2), radix: 16) : Int(end)
      }
      return ends.count == 2 && word.contains("…") ? Array(ends[0]...ends[1]) : ends
    }
  }

  /// The number that a table names, by the beginning of the row's other column.
  private func numbered(_ number: String, name column: Int = 1) throws -> [String: Int] {
    try rows(number).reduce(into: [:]) { names, cells in
      guard let value = numbers(cells[1 - column]).first, cells.count > column else { return }
      names[cells[column].replacing("*", with: "")] = value
    }
  }

  @Test func container() throws {
    let limits = try numbered("1.3.4", name: 0)
    expectEqual(limits["elements per node"], NodeHeader.maximumCount)
    expectEqual(limits["bytes per node"].map { $0 << 20 }, NodeAllocator.nodeByteLimit)
    expectEqual(limits["bytes in one blob piece"], BlobNode.maximumByteCount)
    expectEqual(limits["string value"], StringLeaf.maximumByteCount)
    expectEqual(limits["table name, column name"], NameLeaf.maximumByteCount)
    let sizes = try section("1.4").split(separator: "**").filter { $0.contains("10, 11 or 12") }
    expectEqual(Set(sizes.flatMap(numbers)), TopArray.slotCounts)
    #expect(try section("1.2.3").contains("`0x3034_1252_37E5_26C8`"))
    expectEqual(FileHeader.footerCookie, 0x3034_1252_37E5_26C8)
    let upgraded = try rows("1.5").filter { $0[2] == "yes, upgrades" }.flatMap { numbers($0[0]) }
    expectEqual(Set(upgraded), FileHeader.upgradableVersions)
    let current = try rows("1.5").filter { $0[2] == "current" }.flatMap { numbers($0[0]) }
    expectEqual(current, [FileHeader.supportedVersion])
  }

  @Test func storage() throws {
    #expect(try section("2.1").contains("64 MiB (2^26 bytes)"))
    expectEqual(FreeSpace.sectionByteCount, 1 << 26)
    let codes = try rows("2.7.3").flatMap { numbers($0[0]) }
    let known = (0...UInt8.max).filter { ChangeLogInstruction(rawValue: $0) != nil }.map(Int.init)
    expectEqual(Set(codes), Set(known))
    let fields = try rows("2.9.2").filter { $0.last?.contains("layout version") == true }
    expectEqual(
      fields.flatMap { numbers($0[2]) }, [Int(SharedMemory.realmCoreLayoutVersion)])
    #expect(try numbers(section("2.9.3")).contains(Int(SharedMemory.layoutVersion)))
  }

  @Test func tables() throws {
    let slots = try numbered("3.1")
    expectEqual(slots["spec"], TableSlot.spec)
    expectEqual(slots["cluster tree of the objects"], TableSlot.clusters)
    expectEqual(slots["TableKey"], TableSlot.key)
    expectEqual(slots["search index roots, by leaf index"], TableSlot.indexes)
    expectEqual(slots["column sequence number"], TableSlot.columnSequence)
    expectEqual(slots["table version (modification counter)"], TableSlot.version)
    expectEqual(slots["opposite table, by leaf index"], TableSlot.oppositeTables)
    expectEqual(slots["opposite column, by leaf index"], TableSlot.oppositeColumns)
    expectEqual(slots["object sequence number"], TableSlot.objectSequence)
    expectEqual(slots["collision map"], TableSlot.collisions)
    expectEqual(slots["primary key column"], TableSlot.primaryKey)
    expectEqual(slots["flags"], TableSlot.flags)
    expectEqual(slots["tombstones: second cluster tree"], TableSlot.tombstones)
    expectEqual(slots.count, TableSlot.count)
    try expectEqual(rows("3.2").count, SpecSlot.count + 1, "one row a slot, and the head")
  }

  @Test func columns() throws {
    let types = try rows("3.3.1").flatMap { [numbers($0[0]), numbers($0[2])] }.flatMap(\.self)
    let known = ColumnType.allCases.map(\.rawValue)
    // An old type, and three kinds of collections inside mixed values.
    expectEqual(Set(types), Set(known + [13, 19, 20, 21]))
    let attributes = try numbered("3.3.2")
    let bits: [String: ColumnAttributes] = [
      "Indexed (general search index)": .indexed, "Nullable": .nullable, "List": .list,
      "Dictionary": .dictionary, "Set": .set, "FullTextIndexed": .fullTextIndexed,
    ]
    for (name, attribute) in bits {
      expectEqual(attributes[name], Int(attribute.rawValue), "\(name)")
    }
  }

  @Test func trees() throws {
    let clusters = try section("3.9.4")
    expectTrue(clusters.contains("size < \(ClusterLimits.smallSize)"))
    expectTrue(clusters.contains("both is < \(ClusterLimits.mergedSize)"))
    #expect(try section("3.9.1").contains("At most **\(ClusterLimits.fanOut)** objects"))
    let trees = try section("4.10")
    expectTrue(trees.contains("At most **\(BTreeLimits.entryCount)** elements"))
    expectTrue(trees.contains("< \(BTreeLimits.mergeBelow) entries"))
    expectTrue(trees.contains("sum < \(BTreeLimits.mergedBelow)"))
    let index = try section("4.14.4")
    expectTrue(index.contains("o + 4 > \(SearchIndexLimits.maximumOffset)"))
    #expect(try section("4.14.2").contains("at most \(SearchIndexLimits.nodeEntryCount) entries"))
    #expect(try section("4.9.1").contains("depth \(MixedCodec.maximumDepth)"))
    let mixed = try rows("4.9").compactMap { cells in
      cells.count == 3 ? numbers(cells[1]).first.map(Int64.init) : nil
    }.filter { $0 > 0 }
    let types = (0...31).filter { MixedType(rawValue: $0) != nil }
    expectTrue(Set(types).isSubset(of: mixed))
  }
}
