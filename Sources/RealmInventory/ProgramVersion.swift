// SPDX-License-Identifier: Apache-2.0

// What `--version` says: the version of a program, and the packages that it is made of.
//
// The list is written by the plugin `PackageInventory` while the program is built.

/// The versions of a program and of its packages.
package enum ProgramVersion {
  /// The packages of the build, by their names.
  package static var packages: [String: String] { resolvedPackages }

  /// The answer to `--version`.
  package static func text(of program: String, _ version: String) -> String {
    var lines = ["\(program) \(version)", "packages:"]
    lines += packages.sorted { $0.key < $1.key }.map { "  \($0.key) \($0.value)" }
    return lines.joined(separator: "\n")
  }
}
