// SPDX-License-Identifier: Apache-2.0

// Whether a folder is whole: that of a server, or a backup.
//
// Invariants:
// 1. Nothing is changed, and the check never stops at a finding: what can be read is checked.

#if Server
import Foundation
package import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmStorage

/// The findings about the files of a folder.
package struct FolderCheck: Sendable {
  /// A file, and what is wrong with it.
  package struct Item: Hashable, Sendable {
    package let path: String
    /// Sentences without full stops; none for a file that is whole.
    package let findings: [String]
    /// What it has.
    package let content: String
  }

  private static let shownCountMax = 20

  package let path: String
  package private(set) var items: [Item] = []

  package init(_ path: String) throws(ServerFailure) {
    let directory = try ServerDirectory(existing: path)
    self.path = path
    if let manifest = try BackupManifest(in: path) {
      add("\(path)/\(BackupManifest.name)", "the backup from \(manifest.begin)") { () in
        manifest.findings(in: path)
      }
    }
    if directory.exists(directory.serverFilePath) {
      addText(directory.serverFilePath) { () throws(ServerFailure) in
        _ = try directory.serverFile()
      }
    }
    for app in try directory.appFolders() { try check(app: app, directory) }
    for name in ["tokens"] + earlierKeys(directory) {
      add("\(path)/keys/\(name)", "a key") { () in
        let count = FileManager.default.contents(atPath: "\(path)/keys/\(name)")?.count
        return count == 32 ? [] : ["it has \(count ?? 0) bytes in place of 32"]
      }
    }
  }

  private func earlierKeys(_ directory: ServerDirectory) -> [String] {
    directory.earlierKeyFiles().map { URL(fileURLWithPath: $0.path).lastPathComponent }
  }

  private mutating func add(
    _ path: String, _ content: String = "", _ findings: () throws(StoreError) -> [String]
  ) {
    do throws(StoreError) {
      items.append(Item(path: path, findings: try findings(), content: content))
    } catch {
      items.append(Item(path: path, findings: [ServerFailure.text(error)], content: content))
    }
  }

  private mutating func check(
    app: String, _ directory: ServerDirectory
  ) throws(ServerFailure) {
    addText(directory.appFilePath(app)) { () throws(ServerFailure) in
      _ = try directory.app(app)
    }
    if directory.exists(directory.schemaPath(app)) {
      addText(directory.schemaPath(app)) { () throws(ServerFailure) in
        _ = try directory.schema(of: app)
      }
    }
    let files = try DatabaseFiles(of: app, in: directory)
    // The record first: what is made meanwhile is not missed.
    let inspected = InspectedFiles(directory: path)
    let recorded = Result { () throws(StoreError) in try inspected.recordedRealms(ofApp: app) }
    for file in files.others {
      add(file) { () throws(StoreError) in try InspectedFiles.check(file: file) }
    }
    let found = Set(files.realms.map(\.id))
    if case .success(let recorded) = recorded, !directory.exists("\(path)/shared.json") {
      for lost in recorded.subtracting(found).sorted(by: { $0.rawValue < $1.rawValue }) {
        add(inspected.path(of: lost)) { () in ["it is missing, and was made before"] }
      }
    }
    // With a database the users and realms are there, and what the folder has is whole without.
    let isInDatabase = directory.exists("\(path)/shared.json")
    if directory.exists(files.accounts) || directory.isUsed(app) && !isInDatabase {
      var content = ""
      var findings: [String]
      do throws(StoreError) {
        let check = try AccountCheck(path: files.accounts, app: app)
        content = CountText.text(check.users.count, "user")
        findings = check.findings
      } catch {
        findings = [ServerFailure.text(error)]
      }
      items.append(Item(path: files.accounts, findings: findings, content: content))
    }
    for (id, file) in files.realms {
      let facts = try? inspected.facts(of: id)
      let content = facts.map {
        "version \($0.head.version), \(CountText.text($0.clients.count, "device"))"
      }
      add(file, content ?? "") { () throws(StoreError) in try inspected.check(id) }
    }
  }

  private mutating func addText(
    _ path: String, _ read: () throws(ServerFailure) -> Void
  ) {
    do throws(ServerFailure) {
      try read()
      items.append(Item(path: path, findings: [], content: ""))
    } catch {
      items.append(Item(path: path, findings: [ServerFailure.text(error)], content: ""))
    }
  }

  // MARK: Reports

  /// Whether something is wrong.
  package var isDamaged: Bool { items.contains { !$0.findings.isEmpty } }

  /// The report for operators.
  package var text: String {
    var lines: [String] = []
    for item in items {
      guard !item.findings.isEmpty else {
        lines.append("\(item.path): whole" + (item.content.isEmpty ? "" : ", \(item.content)"))
        continue
      }
      lines.append("\(item.path): damaged")
      lines += item.findings.prefix(Self.shownCountMax).map { "  \($0)" }
      let rest = item.findings.count - Self.shownCountMax
      if rest > 0 { lines.append("  and \(rest) more") }
    }
    let count = items.count { !$0.findings.isEmpty }
    lines.append(
      count == 0
        ? "All \(items.count) files are whole."
        : "\(count) of \(items.count) files are damaged. Keep them, and restore a backup.")
    return lines.joined(separator: "\n")
  }

  /// The report for programs.
  package var json: JSONValue {
    [
      "path": .string(path), "damaged": .bool(isDamaged),
      "files": .array(
        items.map { item in
          [
            "path": .string(item.path), "content": .string(item.content),
            "findings": .array(item.findings.map { .string($0) }),
          ]
        }),
    ]
  }
}
#endif
