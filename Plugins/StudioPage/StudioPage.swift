// SPDX-License-Identifier: Apache-2.0

// Puts the files of a page into its program, so that this is a single file wherever it is
// installed: of Studio, and of the server, whose page has the look of Studio.

import Foundation
import PackagePlugin

/// Gives a target the constant `pageTexts`: the texts of the files in its folder `Page`, by their
/// names. A page other than Studio's has some of its files, too.
@main
struct StudioPage: BuildToolPlugin {
  /// The files of Studio's page that others have.
  private static let sharedFiles = ["dom.js", "icon.svg", "studio.css"]

  /// Writes a literal of Swift. Its delimiter stands in no file, and the line before its end is
  /// that of the literal.
  private static let script = ####"""
    exec >"$1"
    echo "#if $2"
    shift 2
    echo 'let pageTexts: [String: String] = ['
    for file; do
      printf '"%s": ###"""\n' "${file##*/}"
      cat "$file"
      printf '\n"""###,\n'
    done
    echo ']'
    echo '#endif'
    """####

  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    guard let target = target as? SwiftSourceModuleTarget else { return [] }
    let isStudio = target.name == "RealmStudio"
    let shared = context.package.directoryURL.appending(path: "Sources/RealmStudio/Page")
    let others = isStudio ? [] : Self.sharedFiles.map { shared.appending(path: $0) }
    let own = try FileManager.default.contentsOfDirectory(
      at: target.directoryURL.appending(path: "Page"), includingPropertiesForKeys: nil
    ).filter { !$0.lastPathComponent.hasPrefix(".") }.sorted { $0.path < $1.path }
    let files = own + others
    let output = context.pluginWorkDirectoryURL.appending(path: "PageTexts.swift")
    return [
      .buildCommand(
        displayName: "Putting the page of \(target.name) into the program",
        executable: URL(filePath: "/bin/sh"),
        arguments: [
          "-c", Self.script, "sh", output.path(percentEncoded: false),
          isStudio ? "Tools" : "Server",
        ] + files.map { $0.path(percentEncoded: false) },
        inputFiles: files, outputFiles: [output])
    ]
  }
}
