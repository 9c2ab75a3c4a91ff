// SPDX-License-Identifier: Apache-2.0

// Finds the circles of folders of a module: who works in one of a circle has to know all of it.

/// Folders of a module of which each leads to each other one by references, over however many.
///
/// A folder is one directly below the module's, with all that lies below it; files beside the
/// folders count as one called `root`. A folder refers to another if one of its files names,
/// outside of comments and strings, a type that stands outside of all braces in a file of the
/// other. Members of extensions do not count, and neither do names that two folders declare,
/// private types, and words after a period, which name members.
struct FolderCycle: Equatable, CustomStringConvertible {
  /// A folder that names types of another.
  struct Reference: Equatable, CustomStringConvertible {
    var from: String
    var to: String
    var names: Set<String>

    var description: String {
      "\(from) names \(names.sorted().prefix(6).joined(separator: ", ")) of \(to)"
    }
  }

  /// In the order of their names.
  var folders: [String]
  /// Those between the folders.
  var references: [Reference]

  var description: String {
    folders.joined(separator: ", ") + ":\n    "
      + references.map(\.description).joined(separator: "\n    ")
  }

  /// The most folders that a circle of each module may have.
  static let limits: [String: Int] = [
    "RealmFormats": 0,
    "RealmSyncProtocol": 0,
    "RealmStorage": 2,
    "RealmTables": 3,
    "RealmReplication": 0,
    "RealmSync": 0,
    "RealmSyncTestSupport": 0,
    "RealmQuery": 0,
    "RealmServerEngine": 0,
    "RealmServerServices": 0,
    "RealmServerPostgres": 0,
    "RealmServerKit": 0,
    "RealmSession": 4,
    "RealmSwift": 6,
    "RealmTools": 0,
    "RealmStudio": 0,
  ]

  /// The circles of a module, the largest first.
  static func all(ofModule module: String, in files: [SourceFile]) -> [FolderCycle] {
    let files = files.filter { $0.module == module && $0.isSwift }
    let references = references(in: files)
    var left = Set(references.map(\.from))
    var cycles: [FolderCycle] = []
    while let folder = left.min() {
      let circle = reached(from: folder, references).filter {
        reached(from: $0, references).contains(folder)
      }
      left.subtract(circle.union([folder]))
      guard circle.count > 1 else { continue }
      cycles.append(
        FolderCycle(
          folders: circle.sorted(),
          references: references.filter { circle.contains($0.from) && circle.contains($0.to) }))
    }
    return cycles.sorted { $0.folders.count > $1.folders.count }
  }

  /// The folders to which references lead from a folder; it is among them if it is in a circle.
  private static func reached(from folder: String, _ references: [Reference]) -> Set<String> {
    var found: Set<String> = []
    var left = [folder]
    while let next = left.popLast() {
      for reference in references where reference.from == next {
        if found.insert(reference.to).inserted { left.append(reference.to) }
      }
    }
    return found
  }

  /// The references between the folders, in the order of their names.
  private static func references(in files: [SourceFile]) -> [Reference] {
    let owners = owners(in: files)
    var found: [String: [String: Set<String>]] = [:]
    for file in files {
      let folder = folder(of: file)
      // A type of the file itself hides that of another.
      let own = StructureRules.topLevelTypes(file).filter { !$0.isExtension }.map(\.name)
      for name in names(in: file).subtracting(own) {
        guard let owner = owners[name], owner != folder else { continue }
        found[folder, default: [:]][owner, default: []].insert(name)
      }
    }
    return found.sorted { $0.key < $1.key }.flatMap { folder, others in
      others.sorted { $0.key < $1.key }.map { Reference(from: folder, to: $0, names: $1) }
    }
  }

  private static func folder(of file: SourceFile) -> String {
    let parts = file.path.split(separator: "/")
    return parts.count > 3 ? String(parts[2]) : "root"
  }

  /// The folder that declares each type; names that two folders declare are left out.
  private static func owners(in files: [SourceFile]) -> [String: String] {
    var folders: [String: Set<String>] = [:]
    for file in files {
      for type in StructureRules.topLevelTypes(file) where !type.isExtension && !type.isPrivate {
        folders[type.name, default: []].insert(folder(of: file))
      }
    }
    return folders.compactMapValues { $0.count == 1 ? $0.first : nil }
  }

  /// The words of a file that can name a type, attributes without their sign. Modules that are
  /// imported are no types.
  private static func names(in file: SourceFile) -> Set<String> {
    var names: Set<String> = []
    var previous = ""
    for token in file.tokens {
      if token.kind == .word, previous != ".", previous != "import" {
        names.insert(token.text.hasPrefix("@") ? String(token.text.dropFirst()) : token.text)
      }
      previous = token.text
    }
    return names
  }
}
