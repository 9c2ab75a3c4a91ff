// SPDX-License-Identifier: Apache-2.0

// Writes down, at each build, which packages it is made of.

import Foundation
import PackagePlugin

/// Gives a target the constant `resolvedPackages`: the packages of the build with their versions,
/// as the package manager has resolved them. Packages of traits that are off are not among them.
@main
struct PackageInventory: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    var versions: [String: String] = [:]
    Self.collect(context.package, &versions)
    let lines = versions.sorted { $0.key < $1.key }.map { name, version in
      "  \(Self.literal(name)): \(Self.literal(version)),\n"
    }
    let list = lines.isEmpty ? "[:]" : "[\n\(lines.joined())]"
    let text = "let resolvedPackages: [String: String] = \(list)\n"
    let source = context.pluginWorkDirectoryURL.appending(path: "packages.txt")
    // A file that is written again, even with the same text, would be compiled again.
    if (try? String(contentsOf: source, encoding: .utf8)) != text {
      try text.write(to: source, atomically: true, encoding: .utf8)
    }
    let output = context.pluginWorkDirectoryURL.appending(path: "ResolvedPackages.swift")
    return [
      .buildCommand(
        displayName: "Writing the list of packages", executable: URL(filePath: "/bin/cp"),
        arguments: [source.path(percentEncoded: false), output.path(percentEncoded: false)],
        inputFiles: [source], outputFiles: [output])
    ]
  }

  private static func collect(_ package: Package, _ versions: inout [String: String]) {
    for dependency in package.dependencies {
      let package = dependency.package
      guard versions[package.id] == nil else { continue }
      versions[package.id] =
        switch package.origin {
        case .repository(_, let version, _): version
        case .registry(_, let version): version
        case .root, .local: "local"
        @unknown default: "unknown"
        }
      collect(package, &versions)
    }
  }

  /// A text as a literal of Swift.
  private static func literal(_ text: String) -> String { text.debugDescription }
}
