// SPDX-License-Identifier: Apache-2.0

// An app without the trait `Sync` compiles no sync.

/// The files of the public module that need a trait.
enum TraitRules {
  /// The folders of `RealmSwift` that are empty without the trait `Sync`.
  private static let syncFolders: Set<String> = ["AppServices", "BSON", "Sync"]

  private static let syncModules: Set<String> = [
    "RealmNetworking", "RealmReplication", "RealmSync", "RealmSyncProtocol",
  ]

  /// Files of these folders are within `#if Sync` as a whole; all others know neither the condition
  /// nor the modules of sync.
  static func sync(_ file: SourceFile) -> [Violation] {
    guard file.module == ModuleOrder.apiModule, file.isSwift else { return [] }
    func violation(_ line: Int, _ message: String) -> Violation {
      Violation(rule: "trait-sync", path: file.path, line: line, message: message)
    }
    let start = "#if Sync"
    guard let folder = file.path.split(separator: "/").dropFirst(2).first,
      syncFolders.contains(String(folder))
    else {
      let conditions = file.lines.indices.filter { file.lines[$0].contains(start) }
        .map { violation($0 + 1, "'\(start)' stands outside of the folders of sync") }
      let imports = ModuleOrder.importedModules(file).filter { syncModules.contains($0.name) }
        .map { violation($0.line, "imports \($0.name) without the trait Sync") }
      return conditions + imports
    }
    return wholeFile(file, within: start).map { [violation($0, "is not within '\(start)'")] } ?? []
  }

  /// The modules that a build without their trait compiles as empty files: the package manager
  /// builds all modules of the package that one works in.
  private static let modules = [
    "RealmServerServices": "Server", "RealmServerKit": "Server", "RealmServer": "Server",
    "RealmServerPostgres": "Postgres", "RealmTools": "Tools", "RealmStudio": "Tools",
    "RealmCommand": "Tools",
  ]

  /// Files of these modules are within the condition of their trait as a whole.
  static func modules(_ file: SourceFile) -> [Violation] {
    guard let module = file.module, let trait = modules[module], file.isSwift,
      let line = wholeFile(file, within: "#if \(trait)")
    else { return [] }
    return [
      Violation(
        rule: "trait-modules", path: file.path, line: line, message: "is not within '#if \(trait)'")
    ]
  }

  /// - Returns: The line at which a file begins without this condition, or ends within it; nil if
  ///   the whole file depends on it.
  private static func wholeFile(_ file: SourceFile, within condition: String) -> Int? {
    let first = file.lines.indices.first {
      !file.lines[$0].isEmpty && !file.lines[$0].hasPrefix("//")
    }
    guard let first, file.lines[first] == condition, file.lines.last == "#endif" else {
      return (first ?? 0) + 1
    }
    return nil
  }
}
