// SPDX-License-Identifier: Apache-2.0

// Finds the folders of a module that refer to each other both ways.

/// Two folders of a module of which each names a type that the other declares.
///
/// A folder is one directly below the module's, with all that lies below it; files beside the
/// folders count as one called `root`. A folder refers to another if one of its files names,
/// outside of comments and strings, a type that stands outside of all braces in a file of the
/// other. Members of extensions do not count, and neither do names that two folders declare,
/// private types, and words after a period, which name members.
struct FolderCycle: Equatable, CustomStringConvertible {
  var first: String
  var second: String
  /// The names by which the first refers to the second, and the other way round.
  var namesInFirst: Set<String>
  var namesInSecond: Set<String>

  var description: String {
    func list(_ names: Set<String>) -> String { names.sorted().prefix(6).joined(separator: ", ") }
    return "\(first) <-> \(second): \(first) names \(list(namesInFirst)); "
      + "\(second) names \(list(namesInSecond))"
  }

  /// The most pairs that each module may have.
  static let limits: [String: Int] = [
    "RealmFormats": 0,
    "RealmSyncProtocol": 0,
    "RealmStorage": 2,
    "RealmTables": 3,
    "RealmReplication": 0,
    "RealmSync": 0,
    "RealmQuery": 0,
    "RealmServerEngine": 0,
    "RealmServerPostgres": 0,
    "RealmServerKit": 0,
    "RealmSession": 3,
    "RealmSwift": 6,
    "RealmTools": 0,
    "RealmStudio": 0,
  ]

  /// The pairs of a module, by the names of their folders.
  static func all(ofModule module: String, in files: [SourceFile]) -> [FolderCycle] {
    let files = files.filter { $0.module == module && $0.isSwift }
    let owners = owners(in: files)
    var references: [String: [String: Set<String>]] = [:]
    for file in files {
      let folder = folder(of: file)
      for name in names(in: file) {
        guard let owner = owners[name], owner != folder else { continue }
        references[folder, default: [:]][owner, default: []].insert(name)
      }
    }
    return references.keys.sorted().flatMap { first in
      references.keys.sorted().compactMap { second -> FolderCycle? in
        guard first < second, let there = references[first]?[second],
          let back = references[second]?[first]
        else { return nil }
        return FolderCycle(
          first: first, second: second, namesInFirst: there, namesInSecond: back)
      }
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
