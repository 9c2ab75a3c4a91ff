// SPDX-License-Identifier: Apache-2.0

// What counts as a node among the bytes of a damaged file.

#if Tools
import Foundation
import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSalvage

struct NodeScanTests {
  /// A scan of a file with nodes that have only a header, one after the other from 24 on.
  private func scan(_ headers: [NodeHeader]) throws -> NodeScan {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    var bytes = [UInt8](repeating: 0, count: 24)
    for header in headers {
      withUnsafeBytes(of: (header.bits & ~0xFFFF_FFFF | 0x4141_4141).littleEndian) {
        bytes += $0
      }
    }
    let path = directory.file("a.realm")
    try Data(bytes).write(to: URL(filePath: path))
    return try NodeScan(path: path)
  }

  /// Eight bytes must not become an array of sixteen million elements.
  @Test(arguments: [(0xFFFF, true), (0x1_0000, false), (0xFF_FFFF, false)])
  func aNodeWithoutBitsHasFewElements(_ count: Int, _ isNode: Bool) throws {
    let scan = try scan([
      NodeHeader(flags: .hasRefs, layout: .bits, widthCode: 0, count: count),
      NodeHeader(flags: [], layout: .bits, widthCode: 0, count: count),
      NodeHeader(flags: [], layout: .multiply, widthCode: 0, count: count),
    ])
    for offset in [24, 32, 40] as [Int64] {
      expectEqual(scan.node(at: offset) != nil, isNode, "at \(offset)")
    }
    expectEqual(scan.leafKinds(at: 24, count: 256), isNode ? [] : .any)
  }

  /// No list of names has only empty ones.
  @Test func namesAreNotEmpty() throws {
    let scan = try scan([
      NodeHeader(flags: [], layout: .multiply, widthCode: 0, count: 0),
      NodeHeader(flags: [], layout: .multiply, widthCode: 0, count: 1),
    ])
    expectEqual(scan.texts(try #require(scan.node(at: 24))), [])
    expectEqual(scan.texts(try #require(scan.node(at: 32))), nil)
  }
}
#endif
