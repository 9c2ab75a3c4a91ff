// SPDX-License-Identifier: Apache-2.0

// Where a build of the package and the compiler that made it stand.
//
// The symbol graph is made by a tool of the toolchain from the modules of the build, and the index
// of who uses what was written by the compiler beside them. Neither needs the package manager,
// whose lock `swift test` holds while the tests run.

import Foundation
import TestExtensions

/// The folders that the tables of symbols are made from.
struct Toolchain {
  /// `usr` of the toolchain whose runtime this process uses.
  let tools: URL
  /// The products of the build (`.build/debug`).
  let products: URL

  /// The build that is checked, and the compiler of this test; nil where there is none, or where
  /// the platform's symbols are not those of the committed table.
  static let current: Toolchain? = {
    #if os(Linux)
    guard let runtime = runtimeLibrary() else { return nil }
    // usr/lib/swift/linux/libswiftCore.so
    var tools = runtime
    for _ in 0..<4 { tools.deleteLastPathComponent() }
    let found = Toolchain(tools: tools, products: builtProducts)
    let needed = [found.extractor, found.indexLibrary, found.indexStore, found.modules]
    guard needed.allSatisfy({ FileManager.default.fileExists(atPath: $0.path) }) else {
      return nil
    }
    return found
    #else
    return nil
    #endif
  }()

  /// The products of the package that the environment names, or of a plain build.
  private static var builtProducts: URL {
    ProcessInfo.processInfo.environment["OPENREALM_PRODUCTS"].map { URL(filePath: $0) }
      ?? Repository.root.appending(path: ".build/debug")
  }

  /// Whether the build has the symbols that need the trait `Sync`.
  static var hasSync: Bool {
    let network = current?.modules.appending(path: "NIOWebSocket.swiftmodule").path
    return network.map(FileManager.default.fileExists) ?? false
  }

  var extractor: URL { tools.appending(path: "bin/swift-symbolgraph-extract") }
  var indexLibrary: URL { tools.appending(path: "lib/libIndexStore.so") }
  var indexStore: URL { products.appending(path: "index/store") }
  var modules: URL { products.appending(path: "Modules") }

  /// The file of the Swift runtime that is mapped into this process.
  private static func runtimeLibrary() -> URL? {
    // The file has no size, so that it must be read to its end.
    let maps = FileHandle(forReadingAtPath: "/proc/self/maps").flatMap { try? $0.readToEnd() }
    let line = maps.map { String(decoding: $0, as: UTF8.self) }?
      .split(separator: "\n").first { $0.hasSuffix("/libswiftCore.so") }
    guard let line, let slash = line.firstIndex(of: "/") else { return nil }
    return URL(filePath: String(line[slash...])).resolvingSymlinksInPath()
  }

  /// Writes the symbol graph of the public module, and gives its files.
  func extractSymbolGraph(into folder: URL) throws -> [URL] {
    let arguments = [
      "-module-name", ModuleOrder.apiModule, "-minimum-access-level", "public",
      "-skip-synthesized-members", "-target", Self.target, "-I", modules.path,
      "-output-dir", folder.path,
    ]
    let run = try ToolRun(extractor.path, arguments + ModuleMaps.options(products: products))
    guard run.status == 0 else {
      throw ToolFailure(tool: extractor.lastPathComponent, status: run.status)
    }
    let files = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    return files.filter { $0.lastPathComponent.hasSuffix(".symbols.json") }
      .sorted { $0.path < $1.path }
  }

  private static var target: String {
    #if arch(x86_64)
    "x86_64-unknown-linux-gnu"
    #else
    "aarch64-unknown-linux-gnu"
    #endif
  }
}

/// A tool of the toolchain ended with an error.
struct ToolFailure: Error {
  var tool: String
  var status: Int32
}
