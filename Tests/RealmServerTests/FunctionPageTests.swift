// SPDX-License-Identifier: Apache-2.0

// What Documentation/Sync/Functions.md shows: its files are read.

#if Server
import Foundation
import RealmServerEngine
import RealmServerServices
import TestExtensions
import Testing

struct FunctionPageTests {
  private static let page = "Documentation/Sync/Functions.md"

  @Test func itsFilesAreRead() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(contentsOf: root.appending(path: Self.page), encoding: .utf8)
    let blocks = text.components(separatedBy: "```json\n").dropFirst()
      .compactMap { $0.components(separatedBy: "```").first }
    expectEqual(blocks.count, 3)
    let support = AppFileSupport(contents: { _ in Array(repeating: 0x73, count: 32) })
    let files = try blocks.map { try AppFile(Array($0.utf8), support) }
    expectEqual(files.flatMap(\.triggers).map(\.name), ["newTodo", "nightly"])
    expectEqual(files.flatMap(\.functions).count, 3)
    expectEqual(files.flatMap(\.push).count, 1)
  }
}
#endif
