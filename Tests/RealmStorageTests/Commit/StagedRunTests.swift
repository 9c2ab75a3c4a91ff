// SPDX-License-Identifier: Apache-2.0

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct StagedRunTests {
  /// Two runs that follow each other are one write if the buffer has room for both, to its last
  /// byte, and two otherwise.
  @Test(arguments: [(0, 1), (8, 2)])
  func runsThatFollowEachOtherAreJoined(excess: Int, writeCount: Int) throws {
    let system = try SimulatedFileSystem()
    let buffers = (0..<2).map { _ in StagedRun.Buffer() }
    let half = StagedRun.Buffer.byteCount / 2
    var (first, second) = (
      StagedRun(buffers[0], system.file, isRecorded: false),
      StagedRun(buffers[1], system.file, isRecorded: false)
    )
    func fill(_ run: inout StagedRun, _ byte: UInt8, _ count: Int, at position: Int) throws {
      try run.stage(count, at: position).initializeMemory(
        as: UInt8.self, repeating: byte, count: count)
    }
    try fill(&first, 1, half, at: 0)
    try fill(&second, 2, half + excess, at: half)
    first.take(&second)
    try first.flush()
    try second.flush()
    expectEqual(system.file.trace.count, writeCount)
    try expectEqual(
      system.file.contents(),
      [UInt8](repeating: 1, count: half) + [UInt8](repeating: 2, count: half + excess))
  }

  /// A run that fills its buffer is not written before more comes, and then in one write.
  @Test func aRunFillsItsBuffer() throws {
    let system = try SimulatedFileSystem()
    let half = StagedRun.Buffer.byteCount / 2
    var run = StagedRun(StagedRun.Buffer(), system.file, isRecorded: true)
    for (position, writeCount) in [(0, 0), (half, 0), (2 * half, 1)] {
      try run.stage(half, at: position).initializeMemory(as: UInt8.self, repeating: 1, count: half)
      expectEqual(system.file.trace.count, writeCount)
    }
    try run.flush()
    // What is staged has its pieces: each write is one, and nothing is none.
    let pieces = run.endPieces()
    expectEqual(pieces.map(\.position), [0, 2 * half])
    expectEqual(pieces.map(\.byteCount), [2 * half, half])
    expectEqual(run.endPieces(), [])
  }
}
