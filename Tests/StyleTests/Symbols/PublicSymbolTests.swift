// SPDX-License-Identifier: Apache-2.0

// The committed table of public symbols says what the code says.

import Foundation
import TestExtensions
import Testing

/// The page `Documentation/PublicSymbols.md` against the compiler's knowledge of a build.
@Suite(
  .enabled(
    if: Toolchain.current != nil && Toolchain.hasSync,
    "needs Linux, the trait Sync, and a toolchain with symbol graphs and an index of the build"))
struct PublicSymbolTests {
  private static let renewing = ProcessInfo.processInfo.environment["REALM_RENEW_SYMBOLS"] != nil

  private static let renewal =
    "OPENREALM_PART=all swift build --build-tests --enable-all-traits and then "
    + "REALM_RENEW_SYMBOLS=1 Scripts/style --filter PublicSymbolTests renew "
    + SymbolTable.path

  @Test(.heavy) func theTableIsWhatTheCodeSays() throws {
    let made = try Self.made.get()
    if Self.renewing {
      let page = Repository.root.appending(path: SymbolTable.path)
      try made.table.page.write(to: page, atomically: true, encoding: .utf8)
      return
    }
    let page = try Repository.text(SymbolTable.path)
    guard page != made.table.page else { return }
    let committed = Set(page.split(separator: "\n")), now = made.table.page.split(separator: "\n")
    let gone = committed.subtracting(now).sorted(), new = now.filter { !committed.contains($0) }
    let report = (gone.map { "- \($0)" } + new.map { "+ \($0)" }).joined(separator: "\n")
    Issue.record("\(SymbolTable.path) differs from the code; \(Self.renewal)\n\(report)")
  }

  @Test func everySymbolIsDocumented() throws {
    let silent = try Self.made.get().symbols.filter { !$0.isDocumented }
    for symbol in silent {
      Issue.record("no documentation comment: \(symbol.group): \(symbol.declaration)")
    }
  }

  @Test func everySymbolHasATest() throws {
    for row in try Self.made.get().table.rows where row.test == SymbolTable.noTest {
      Issue.record("no test uses this symbol: \(row.group): \(row.declaration)")
    }
  }

  @Test func thePageIsReadAsItIsWritten() throws {
    let table = try Self.made.get().table
    expectTrue(table.rows.count > 500)
    expectTrue(SymbolTable(page: table.page).rows == table.rows)
    let keys = table.rows.map(\.key)
    let twice = Dictionary(grouping: keys, by: \.self).filter { $0.value.count > 1 }.keys
    expectTrue(twice.isEmpty, "rows that cannot be told apart: \(twice.sorted())")
  }

  /// The table of this build.
  private struct Made {
    var symbols: [PublicSymbol]
    var table: SymbolTable
  }

  /// A build with an index of the package.
  private struct Build {
    let root: URL
    let indexStore: URL

    /// That of the folder with the tests that this one leaves out, if there is one: `.ci/run`
    /// builds the package in two folders.
    static var other: Build? {
      ProcessInfo.processInfo.environment["OPENREALM_OTHER_BUILD"].map { path in
        let root = URL(filePath: path)
        return Build(root: root, indexStore: root.appending(path: ".build/debug/index/store"))
      }
    }
  }

  private static let made = Result { try make() }

  private static func make() throws -> Made {
    let toolchain = try #require(Toolchain.current)
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let graph = try SymbolGraph(files: toolchain.extractSymbolGraph(into: folder))
    var used: [String: Set<String>] = [:]
    let own = Build(root: Repository.root, indexStore: toolchain.indexStore)
    for build in [own, Build.other].compactMap(\.self) {
      let index = try #require(
        IndexStore(library: toolchain.indexLibrary, store: build.indexStore))
      used.merge(index.symbolsUsed(below: "Tests", of: build.root)) { $0.union($1) }
    }
    let blocks = PlatformBlocks(Repository.code)
    let symbols = graph.publicSymbols(platforms: blocks)
    let use = SymbolUse(
      symbols: symbols, graph: graph, files: used)
    let committed = SymbolTable(page: (try? Repository.text(SymbolTable.path)) ?? "")
    // With the trait OpenCombine, this platform compiles publishers, too: they are in `unseen`.
    var table = SymbolTable(
      symbols: symbols.filter { !$0.platforms.hasPrefix(PlatformBlocks.apple) }, use: use,
      committed: committed)
    table.append(blocks.unseen)
    return Made(symbols: symbols, table: table)
  }
}
