// SPDX-License-Identifier: Apache-2.0

// What the packages of the programs have, made of programs that only say what they are asked.

import Foundation
import Testing

struct PackagingTests {
  private static let version = {
    let text = (try? Repository.text("Sources/RealmStorage/LibraryVersion.swift")) ?? ""
    return text.components(separatedBy: "text = \"").last?.components(separatedBy: "\"").first ?? ""
  }()

  /// A folder that goes away with the test.
  private static func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  private static func run(_ arguments: [String]) throws -> ToolRun {
    try ToolRun("/usr/bin/env", arguments)
  }

  private static let script = Repository.root.appending(path: "Scripts/package").path

  private static let hasDebian = ["/usr/bin/dpkg-deb", "/bin/dpkg-deb"].contains {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  @Test(.enabled(if: hasDebian, "dpkg-deb is not installed"))
  func theDebianPackageHasWhatOneInstalls() throws {
    try Self.withFolder { folder in
      for program in ["realm", "realm-server"] {
        let path = folder.appending(path: program).path
        try Data("#!/bin/sh\necho \"\(program) $*\"\n".utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
      }
      let made = try Self.run([Self.script, folder.path])
      #expect(made.status == 0, "\(made.errors)")
      let package = made.output.split(separator: "\n").last.map(String.init) ?? ""
      let fields = try Self.run(["dpkg-deb", "--field", package]).output
      #expect(fields.contains("Package: openrealm\n"))
      #expect(fields.contains("Version: \(Self.version.replacing("-", with: "~"))\n"))
      let list = try Self.run(["dpkg-deb", "--contents", package]).output
      for path in [
        "/usr/bin/realm", "/usr/bin/realm-server", "/usr/lib/systemd/system/realm-server.service",
        "/usr/share/man/man1/realm.1.gz", "/usr/share/doc/openrealm/README.Debian",
        "/usr/share/doc/openrealm/copyright", "/usr/share/doc/openrealm/changelog.gz",
        "/usr/share/bash-completion/completions/realm-server",
        "/usr/share/zsh/vendor-completions/_realm",
        "/usr/share/fish/vendor_completions.d/realm-server.fish",
      ] { #expect(list.contains(" .\(path)\n"), "\(path) of \(list)") }
      for line in list.split(separator: "\n") { #expect(line.contains(" root/root "), "\(line)") }
      // What is unpacked runs, and the service starts what the package has.
      let root = folder.appending(path: "root").path
      _ = try Self.run(["dpkg-deb", "--extract", package, root])
      #expect(try Self.run(["\(root)/usr/bin/realm", "info"]).output == "realm info\n")
      let unit = try String(
        contentsOfFile: "\(root)/usr/lib/systemd/system/realm-server.service", encoding: .utf8)
      #expect(unit.contains("\nExecStart=/usr/bin/realm-server serve --dir "))
      #expect(unit.contains("\nExecReload=/usr/bin/realm-server apply --dir "))
      let completion = try String(
        contentsOfFile: "\(root)/usr/share/zsh/vendor-completions/_realm-server", encoding: .utf8)
      #expect(completion == "realm-server --generate-completion-script zsh\n")
    }
  }

  @Test func theFormulaHasTheVersionAndTheDigestOfTheArchive() throws {
    try Self.withFolder { folder in
      let archive = folder.appending(path: "archive.tar.gz")
      try Data("abc".utf8).write(to: archive)
      let formula = try Self.run([
        Self.script, "--formula", "https://forge.example.org/openrealm", archive.path,
      ])
      #expect(formula.status == 0, "\(formula.errors)")
      for line in [
        "  version \"\(Self.version)\"", "  homepage \"https://forge.example.org/openrealm\"",
        "  url \"https://forge.example.org/openrealm/archive/refs/tags/\(Self.version).tar.gz\"",
        "  sha256 \"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"",
      ] { #expect(formula.output.contains(line + "\n"), "\(line) of \(formula.output)") }
      #expect(formula.output.hasSuffix("\nend\n"))
    }
  }

  @Test func aFolderWithoutProgramsIsRefused() throws {
    try Self.withFolder { folder in
      let refused = try Self.run([Self.script, folder.path])
      #expect(refused.status == 66)
      #expect(refused.errors.contains("realm is missing: Scripts/release makes it"))
    }
    #expect(try Self.run([Self.script]).status == 64)
  }
}
