// SPDX-License-Identifier: Apache-2.0

// Top arrays of all lengths (file format 1.4).

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct TopArrayTests {
  private static let slots: [Int64] = [
    // The names, the tables, the logical size.
    48, 72, Tagged.slot(4096),
    // The positions, lengths and versions of free space; the version.
    96, 120, 144, Tagged.slot(77),
    // The history: its type, root and schema version.
    Tagged.slot(3), 168, Tagged.slot(12),
    // The file's identifier, and a ref of what is being evacuated.
    Tagged.slot(5), 192,
  ]

  private func top(_ slots: [Int64]) throws -> TopArray {
    let scratch = try ScratchSpace()
    let node = try IntegerNode.make(slots, flags: .hasRefs, in: scratch.allocator)
    return try TopArray(at: node.ref, in: scratch.space)
  }

  @Test(arguments: [3, 5, 7, 9, 10, 11, 12]) func slotsThatAreThereAreRead(count: Int) throws {
    let top = try top(Array(Self.slots.prefix(count)))
    expectEqual(top.slotCount, count)
    expectEqual(top.roots, VersionRoots(tableNames: Ref(48), tables: Ref(72)))
    expectEqual(top.logicalSize, 4096)
    expectEqual(top.freePositions, count >= 5 ? Ref(96) : .null)
    expectEqual(top.freeLengths, count >= 5 ? Ref(120) : .null)
    expectEqual(top.freeVersions, count >= 7 ? Ref(144) : .null)
    expectEqual(top.version, count >= 7 ? 77 : 1)
    expectEqual(top.historyType, count >= 9 ? 3 : 0)
    expectEqual(top.history, count >= 9 ? Ref(168) : .null)
    expectEqual(top.historySchemaVersion, count >= 10 ? 12 : 0)
    expectEqual(top.fileIdentifier, count >= 11 ? 5 : 0)
    expectEqual(top.evacuation, count >= 12 ? 192 : 0)
  }

  /// Other programs write zeros for numbers that they do not know.
  @Test func numbersMayBeMissing() throws {
    var slots = Self.slots
    for index in [6, 7, 9, 10] { slots[index] = 0 }
    let top = try top(slots)
    expectEqual(top.version, 1)
    expectEqual(top.historyType, 0)
    expectEqual(top.historySchemaVersion, 0)
    expectEqual(top.fileIdentifier, 0)
  }

  @Test func whatCannotBeIsRefused() throws {
    for count in [0, 1, 2, 4, 6, 8] {
      #expect(throws: StorageError.self) { try top(Array(Self.slots.prefix(count))) }
    }
    #expect(throws: StorageError.self) { try top(Self.slots + [1]) }
    let wrong: [(index: Int, slot: Int64)] = [
      (0, 0), (1, 0), (2, 4096), (2, Tagged.slot(4097)), (2, Tagged.slot(16)), (3, 0), (4, 0),
      (6, Tagged.slot(1 << 56)),
    ]
    for (index, slot) in wrong {
      var slots = Self.slots
      slots[index] = slot
      #expect(throws: StorageError.self, "slot \(index) is \(slot)") { try top(slots) }
    }
    for (index, slot) in [(2, Tagged.slot(24)), (6, Tagged.slot(1 << 56 - 1))] {
      var slots = Self.slots
      slots[index] = slot
      _ = try top(slots)
    }
  }
}
