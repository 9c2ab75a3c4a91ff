// SPDX-License-Identifier: Apache-2.0

import TestExtensions
import Testing

/// Measures, for each module, the largest circle of folders that refer to each other. Smaller is
/// better: who works in one of its folders has to know all of them.
struct FolderCycleTests {
  @Test(arguments: FolderCycle.limits.keys.sorted())
  func noCircleOfFoldersIsLargerThanItsLimit(of module: String) throws {
    let cycles = FolderCycle.all(ofModule: module, in: Repository.code)
    let limit = try #require(FolderCycle.limits[module])
    let largest = cycles.first?.folders.count ?? 0
    print("\(module): the largest circle has \(largest) folders, at most \(limit) may be in one")
    for cycle in cycles { print("  \(cycle)") }
    let report = cycles.map(\.description).joined(separator: "\n")
    #expect(largest <= limit, "a circle of \(largest) folders:\n\(report)")
  }

  @Test func everyModuleWithFoldersHasALimit() {
    let modules = Repository.code.filter { $0.isSwift && $0.path.split(separator: "/").count > 3 }
      .compactMap(\.module)
    #expect(Set(modules) == Set(FolderCycle.limits.keys))
  }

  private static func file(_ path: String, _ text: String) -> SourceFile {
    SourceFile(path: "Sources/Small/\(path)", text: text)
  }

  /// Leaves below trees, trees below a loose file.
  private static let small = [
    file("Leaves/Leaf.swift", "struct Leaf {}\nprivate let limit = 1\nstruct Cell {}\n"),
    file("Trees/Deep/Tree.swift", "struct Tree { var leaf: Leaf }\n"),
    file("Group.swift", "struct Group { var tree: Tree }\n"),
  ]

  private static func circles(with others: SourceFile...) -> [[String]] {
    FolderCycle.all(ofModule: "Small", in: small + others).map(\.folders)
  }

  @Test func foldersInOneDirectionAreNoCircle() {
    #expect(Self.circles().isEmpty)
    let inside = Self.file("Leaves/A.swift", "struct A { var leaf: Leaf }\n")
    #expect(Self.circles(with: inside).isEmpty)
  }

  @Test func aReferenceBackIsFound() {
    let back = Self.file("Leaves/Back.swift", "extension Leaf { func grow() -> Tree { fatal() } }")
    expectEqual(Self.circles(with: back), [["Leaves", "Trees"]])
    let wrapper = Self.file("Trees/Back.swift", "extension Tree { @Group var owner: Int }")
    expectEqual(Self.circles(with: wrapper), [["Trees", "root"]])
    expectEqual(Self.circles(with: back, wrapper), [["Leaves", "Trees", "root"]])
    let cell = Self.file("Trees/Forest.swift", "struct Forest { var cell: Cell }")
    let forest = Self.file("Leaves/Forest.swift", "extension Leaf { typealias Owner = Forest }")
    expectEqual(Self.circles(with: cell, forest), [["Leaves", "Trees"]])
  }

  @Test func aCircleOverOtherFoldersIsFound() {
    let group = Self.file("Leaves/Back.swift", "extension Leaf { var group: Group { fatal() } }")
    expectEqual(Self.circles(with: group), [["Leaves", "Trees", "root"]])
    let apart = [
      Self.file("Roots/Root.swift", "struct Root { var soil: Soil }"),
      Self.file("Soils/Soil.swift", "struct Soil { var roots: [Root]; var leaf: Leaf }"),
    ]
    expectEqual(
      Self.circles(with: group, apart[0], apart[1]),
      [["Leaves", "Trees", "root"], ["Roots", "Soils"]])
  }

  @Test(arguments: [
    "// A Tree holds it.\nextension Leaf {}\n",
    "let text = \"Tree \\(1) Tree\"\n",
    "let kind = Kind.Tree\n",
    "struct Tree { var leaf: Leaf }\n",
    "private struct Group {}\nextension Leaf { var group: Group { Group() } }\n",
    "import Tree\npublic import Group\n",
  ])
  func commentsStringsMembersAndSharedNamesAreNoReferences(_ text: String) {
    #expect(Self.circles(with: Self.file("Leaves/B.swift", text)).isEmpty, "\(text)")
  }
}
