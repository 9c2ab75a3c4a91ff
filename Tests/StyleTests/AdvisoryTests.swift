// SPDX-License-Identifier: Apache-2.0

// The packages of the manifest, and known advisories of them (Scripts/advisories).

import Foundation
import Testing

struct AdvisoryTests {
  private struct Advisory {
    let package: String
    let from: [Int]
    let fixed: [Int]
    let name: String
  }

  private static func version(_ text: some StringProtocol) -> [Int] {
    let parts = text.split(separator: ".").map { Int($0) ?? 0 }
    return parts + [Int](repeating: 0, count: max(0, 3 - parts.count))
  }

  private static func advisories() throws -> [Advisory] {
    let text = try String(
      contentsOf: Repository.root.appendingPathComponent("Scripts/advisories.txt"), encoding: .utf8)
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let words = line.split(separator: " ")
      return Advisory(
        package: String(words[0]), from: version(words[1]), fixed: version(words[2]),
        name: String(words[3]))
    }
  }

  /// The names of the packages of a manifest with the lowest versions that it admits.
  private static func lowerBounds(_ manifest: String) -> [String: [Int]] {
    var bounds: [String: [Int]] = [:]
    let entry = /\.package\(\s*url: "[^"]*\/([^"\/]+)\.git",\s*(?:from: )?"([0-9.]+)"/
    for match in manifest.matches(of: entry) {
      bounds[match.1.lowercased()] = version(match.2)
    }
    return bounds
  }

  private static func violations(_ bounds: [String: [Int]]) throws -> [String] {
    try advisories().compactMap { advisory in
      guard let bound = bounds[advisory.package], bound.lexicographicallyPrecedes(advisory.fixed)
      else { return nil }
      return "\(advisory.package) from \(bound) admits \(advisory.name)"
    }
  }

  @Test func lowerBoundsLieAboveKnownAdvisories() throws {
    let manifest = try String(
      contentsOf: Repository.root.appendingPathComponent("Package.swift"), encoding: .utf8)
    let bounds = Self.lowerBounds(manifest)
    #expect(bounds.count == manifest.matches(of: /\.package\(\s*url:/).count)
    #expect(try Self.violations(bounds) == [])
    // What the manifest once said.
    let earlier = #".package(url: "https://x/swift-crypto.git", "3.12.3"..<"5.0.0"),"#
    #expect(try Self.violations(Self.lowerBounds(earlier)).count == 2)
  }

  private static func run(_ resolved: String) throws -> (code: Int32, error: String) {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data(resolved.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let run = try ToolRun(
      Repository.root.appendingPathComponent("Scripts/advisories").path, [file.path])
    return (run.status, run.errors)
  }

  private static func resolved(_ pins: [(String, String)]) -> String {
    let entries = pins.map { name, version in
      """
          {
            "identity" : "\(name)",
            "kind" : "remoteSourceControl",
            "location" : "https://example.org/\(name).git",
            "state" : {
              "revision" : "0123",
              "version" : "\(version)"
            }
          }
      """
    }
    return "{\n  \"pins\" : [\n\(entries.joined(separator: ",\n"))\n  ],\n  \"version\" : 3\n}\n"
  }

  @Test(arguments: [
    ("swift-crypto", "4.0.0", true), ("swift-crypto", "4.3.0", true),
    ("swift-crypto", "4.5.0", true), ("swift-crypto", "4.5.1", false),
    ("swift-crypto", "3.12.3", true), ("swift-crypto", "3.1.0", false),
    ("swift-nio", "2.100.0", true), ("swift-nio", "2.101.0", false), ("other", "1.0.0", false),
  ])
  func theScriptFindsThem(_ name: String, _ version: String, _ isAffected: Bool) throws {
    let run = try Self.run(
      Self.resolved([("swift-log", "1.6.0"), (name, version), ("z", "1.0.0")]))
    #expect(run.code == (isAffected ? 1 : 0), "\(run.error)")
    #expect(run.error.contains("\(name) \(version) has ") == isAffected)
  }

  /// Names by which a person finds an advisory.
  @Test func advisoriesHaveIdentifiers() throws {
    for advisory in try Self.advisories() {
      let isKnown = advisory.name.wholeMatch(of: /CVE-\d{4}-\d{4,}|GHSA(-[0-9a-z]{4}){3}/) != nil
      #expect(isKnown, "\(advisory.package): \(advisory.name)")
    }
  }

  @Test func aFileWithoutPackagesIsNoProof() throws {
    #expect(try Self.run("{}").code == 2)
  }
}
