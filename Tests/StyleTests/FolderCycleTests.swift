// SPDX-License-Identifier: Apache-2.0

import Testing

/// Counts, for each module, the folders that refer to each other both ways. Fewer are better: who
/// works in one of two such folders has to know both.
struct FolderCycleTests {
  @Test(arguments: FolderCycle.limits.keys.sorted())
  func foldersReferToEachOtherInNoMorePairs(of module: String) throws {
    let cycles = FolderCycle.all(ofModule: module, in: Repository.code)
    let limit = try #require(FolderCycle.limits[module])
    print("\(module): \(cycles.count) pairs of folders refer to each other, at most \(limit) may")
    for cycle in cycles { print("  \(cycle)") }
    let report = cycles.map(\.description).joined(separator: "\n")
    #expect(cycles.count <= limit, "\(cycles.count) pairs of folders:\n\(report)")
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

  private static func pairs(with others: SourceFile...) -> [String] {
    FolderCycle.all(ofModule: "Small", in: small + others).map { "\($0.first) \($0.second)" }
  }

  @Test func foldersInOneDirectionAreNoPair() {
    #expect(Self.pairs().isEmpty)
    #expect(Self.pairs(with: Self.file("Leaves/A.swift", "struct A { var leaf: Leaf }\n")).isEmpty)
  }

  @Test func aReferenceBackIsFound() {
    let back = Self.file("Leaves/Back.swift", "extension Leaf { func grow() -> Tree { fatal() } }")
    #expect(Self.pairs(with: back) == ["Leaves Trees"])
    let wrapper = Self.file("Trees/Back.swift", "extension Tree { @Group var owner: Int }")
    #expect(Self.pairs(with: wrapper) == ["Trees root"])
    #expect(Self.pairs(with: back, wrapper) == ["Leaves Trees", "Trees root"])
    let cell = Self.file("Trees/Forest.swift", "struct Forest { var cell: Cell }")
    let forest = Self.file("Leaves/Forest.swift", "extension Leaf { typealias Owner = Forest }")
    #expect(Self.pairs(with: cell, forest) == ["Leaves Trees"])
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
    #expect(Self.pairs(with: Self.file("Leaves/B.swift", text)).isEmpty, "\(text)")
  }
}
