// SPDX-License-Identifier: Apache-2.0

// Puts the files of Studio's page into the program, so that it is a single file wherever it is
// installed.

import Foundation
import PackagePlugin

/// Gives a target the constant `pageTexts`: the texts of the files in its folder `Page`, by their
/// names.
@main
struct StudioPage: BuildToolPlugin {
  /// Writes a literal of Swift. Its delimiter stands in no file, and the line before its end is
  /// that of the literal.
  private static let script = ####"""
    exec >"$1"
    shift
    echo '#if Tools'
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
    let files = try FileManager.default.contentsOfDirectory(
      at: target.directoryURL.appending(path: "Page"), includingPropertiesForKeys: nil
    ).filter { !$0.lastPathComponent.hasPrefix(".") }.sorted { $0.path < $1.path }
    let output = context.pluginWorkDirectoryURL.appending(path: "PageTexts.swift")
    return [
      .buildCommand(
        displayName: "Putting Studio's page into the program",
        executable: URL(filePath: "/bin/sh"),
        arguments: ["-c", Self.script, "sh"]
          + ([output] + files).map { $0.path(percentEncoded: false) },
        inputFiles: files, outputFiles: [output])
    ]
  }
}
