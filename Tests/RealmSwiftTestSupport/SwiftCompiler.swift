// SPDX-License-Identifier: Apache-2.0

// The compiler, for tests of what must compile and what must not.

package import Foundation
import RealmTestSupport
import TestExtensions

/// Checks programs that import `RealmSwift`, as it was built for these tests.
package struct SwiftCompiler {
  /// What the compiler says about a line.
  package struct Diagnostic: Hashable, CustomStringConvertible {
    package let line: Int
    package let isError: Bool
    package let text: String

    package var description: String { "line \(line): \(isError ? "error" : "warning"): \(text)" }
  }

  /// How far programs are checked.
  package enum Depth: String {
    /// Names and types.
    case types = "-typecheck"
    /// Also who may use values after they were sent elsewhere. Only if there is no error before.
    case flow = "-emit-sil"
  }

  /// The mode of the language, and how much of data races is checked in it.
  package enum Mode: CaseIterable, Sendable {
    case swift5, complete, swift6

    fileprivate var arguments: [String] {
      switch self {
      case .swift5: ["-swift-version", "5"]
      case .complete: ["-swift-version", "5", "-strict-concurrency=complete"]
      case .swift6: ["-swift-version", "6"]
      }
    }
  }

  struct Failure: Error { let text: String }

  /// The compiler of this machine; nil if there is none.
  package static let executable: URL? = {
    let environment = ProcessInfo.processInfo.environment
    let named = environment["SWIFT_EXEC"].map { [URL(fileURLWithPath: $0)] } ?? []
    let path = (environment["PATH"] ?? "").split(separator: ":").map {
      URL(fileURLWithPath: String($0)).appendingPathComponent("swiftc")
    }
    return (named + path + [URL(fileURLWithPath: "/usr/bin/swiftc")])
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }()

  /// The directory that the test program was built into.
  private static func products() throws -> URL {
    let bundles = Bundle.allBundles.map(\.bundleURL)
    let programs = [Bundle.main.executableURL, URL(fileURLWithPath: CommandLine.arguments[0])]
    for place in programs.compactMap({ $0 }) + bundles {
      var directory = place
      for _ in 0..<5 {
        directory.deleteLastPathComponent()
        let module = directory.appendingPathComponent("Modules/RealmSwift.swiftmodule")
        if FileManager.default.fileExists(atPath: module.path) { return directory }
      }
    }
    throw Failure(text: "The modules of this build cannot be found beside the test program")
  }

  /// What the compiler says about a program; a script has code at its top level.
  package static func check(
    _ program: String, _ depth: Depth, _ mode: Mode = .swift6, isScript: Bool = false
  ) throws -> [Diagnostic] {
    let files = try TemporaryRealm()
    // Only a file of this name has code at its top level.
    let source = files.directory.appendingPathComponent(isScript ? "main.swift" : "program.swift")
    try program.write(to: source, atomically: true, encoding: .utf8)
    let products = try products()
    var arguments = [
      depth.rawValue, source.path, "-diagnostic-style", "llvm",
      "-parse-as-library", "-module-name", "Program",
      "-o", files.directory.appendingPathComponent("program.sil").path,
      "-I", products.appendingPathComponent("Modules").path,
    ]
    arguments += ModuleMaps.options(products: products)
    arguments += mode.arguments
    if isScript { arguments.removeAll { $0 == "-parse-as-library" } }
    if depth == .types { arguments.removeAll { $0 == "-o" || $0.hasSuffix(".sil") } }
    let run = try SpawnedProgram.run(executable?.path ?? "swiftc", arguments)
    let diagnostics = parse(run.errors, source.path)
    if run.status != 0, diagnostics.isEmpty { throw Failure(text: run.errors) }
    return diagnostics
  }

  /// Parses lines like `path:12:3: error: text`. An error in the expansion of a macro is reported
  /// with the macro's file, and the position of the macro in a note.
  private static func parse(_ output: String, _ path: String) -> [Diagnostic] {
    var diagnostics: [Diagnostic] = []
    var inMacro: (isError: Bool, text: String)?
    for line in output.split(separator: "\n") {
      guard let kind = ["error", "warning", "note"].first(where: { line.contains(": \($0): ") }),
        let mark = line.range(of: ": \(kind): ")
      else { continue }
      let place = line[..<mark.lowerBound].split(separator: ":")
      let text = String(line[mark.upperBound...])
      let isHere = line.hasPrefix(path + ":")
      if kind == "note" {
        guard isHere, let found = inMacro, let number = place.dropLast().last.flatMap({ Int($0) })
        else { continue }
        diagnostics.append(Diagnostic(line: number, isError: found.isError, text: found.text))
        inMacro = nil
      } else if isHere, let number = place.dropLast().last.flatMap({ Int($0) }) {
        diagnostics.append(Diagnostic(line: number, isError: kind == "error", text: text))
      } else {
        inMacro = (kind == "error", text)
      }
    }
    return diagnostics
  }
}
