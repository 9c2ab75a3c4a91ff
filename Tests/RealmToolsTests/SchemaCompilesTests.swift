// SPDX-License-Identifier: Apache-2.0

// The Swift code of classes, given to the compiler.

#if Tools
import Foundation
import RealmDeclarations
import RealmQuery
import RealmStorage
import RealmTables
import RealmTestSupport
import RealmTools
import TestExtensions
import Testing

@Suite(.enabled(if: BuiltModules.folder != nil)) struct SchemaCompilesTests {
  /// Checks the types of a file; the messages of the compiler.
  private func messages(_ path: String) throws -> String {
    let products = try #require(BuiltModules.folder)
    let compiler = try #require(BuiltModules.compiler)
    let run = try SpawnedProgram.run(
      compiler.path,
      [
        "-typecheck", "-swift-version", "6", "-I", products.appendingPathComponent("Modules").path,
        path,
      ] + ModuleMaps.options(products: products))
    return run.output + run.errors + (run.status == 0 ? "" : "ended with \(run.status)")
  }

  @Test func everyKindOfPropertyCompiles() throws {
    let sample = try SampleRealm()
    let writer = try RealmWriter(path: sample.path, creates: false)
    _ = try writer.write { group in
      let table = try group.createTable(named: "class_All types")
      let types: [ColumnType] = [
        .int, .bool, .string, .binary, .mixed, .timestamp, .float, .double, .decimal, .objectId,
        .uuid,
      ]
      for type in types {
        for collection in [.none, .list, .set, .dictionary] as [CollectionKind] {
          for isNullable in [false, true] {
            try table.addColumn(
              named: "\(type) \(collection) \(isNullable)", type: type, collection: collection,
              isNullable: isNullable)
          }
        }
      }
      let text = try table.addColumn(named: "description", type: .string)
      try table.columns.setIndex(.fullText, text.key)
      try table.addColumn(named: "class", type: .int, isIndexed: true)
      let key = try table.addColumn(named: "self", type: .uuid)
      try table.setPrimaryKey(key.key)
      // Names that other programs may give.
      let names = [
        "a b", "a_b", "a.b", "_", "-", "$0", "x\")\nfatalError() //", "\\(evil)", "line\nbreak",
        "\u{1B}[2J", "\u{202E}", "日本", "é", "`", "*/", "description_", "init",
        "Type",
      ]
      for name in names { try table.addColumn(named: name, type: .int) }
      for name in [
        "All_types", "Data", "String", "Self", "x\ny", "List", "\"", "Object_", "Object",
      ] {
        let other = try group.createTable(named: "class_" + name)
        try other.addColumn(named: "a b", type: .binary)
        try other.addColumn(named: "link", type: .link, target: table.key)
        try table.addColumn(named: "to " + name, type: .link, target: other.key)
      }
      for collection in [.none, .list, .set, .dictionary] as [CollectionKind] {
        try table.addColumn(
          named: "\(collection)Link", type: .link, collection: collection, target: table.key)
      }
      return true
    }
    let code = sample.directory.file("Models.swift")
    try Data(SwiftSchema(try StoredSchema(try writer.group())).text.utf8)
      .write(to: URL(fileURLWithPath: code))
    try expectEqual(messages(code), "")
  }
}

/// What the test was built with.
private enum BuiltModules {
  /// The modules of the build that the test belongs to; nil where the compiler is not installed.
  static let folder: URL? = {
    #if os(Linux)
    let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    let module = products.appendingPathComponent("Modules/RealmSwift.swiftmodule")
    guard FileManager.default.fileExists(atPath: module.path), compiler != nil else { return nil }
    return products
    #else
    return nil
    #endif
  }()

  /// The compiler that is found first.
  static let compiler: URL? = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").map { URL(fileURLWithPath: "\($0)/swiftc") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }()
}
#endif
