// SPDX-License-Identifier: Apache-2.0

// Which lines of the sources are compiled on some platforms only, or with a trait only.

import Foundation

/// The `#if` blocks of the public module's sources.
struct PlatformBlocks {
  static let everywhere = "all"
  static let apple = "Apple"
  private static let others = "not Apple"
  private static let sync = "#if Sync"

  /// A declaration of a block that this platform does not compile: the symbol graph cannot know it.
  struct Unseen: Equatable {
    var source: String
    var text: String
    var platforms: String
  }

  private var byLine: [String: [String]] = [:]
  private(set) var unseen: [Unseen] = []

  init(_ files: [SourceFile]) {
    let prefix = "Sources/\(ModuleOrder.apiModule)/"
    for file in files where file.path.hasPrefix(prefix) {
      add(file, as: String(file.path.dropFirst(prefix.count)))
    }
  }

  /// Where a line (counted from 0) of a source is compiled.
  func platforms(of source: String, line: Int?) -> String {
    guard let lines = byLine[source], let line, lines.indices.contains(line) else {
      return Self.everywhere
    }
    return lines[line]
  }

  private mutating func add(_ file: SourceFile, as source: String) {
    var open: [String] = []
    var lines: [String] = []
    for (number, line) in file.lines.enumerated() {
      let text = line.trimmingCharacters(in: .whitespaces)
      if text.hasPrefix("#if") {
        open.append(text == Self.sync ? Self.sync : Self.platforms(of: text))
      } else if text.hasPrefix("#else"), let last = open.popLast() {
        open.append(last == Self.apple ? Self.others : Self.apple)
      } else if text.hasPrefix("#endif") {
        _ = open.popLast()
      }
      let platforms = open.last { $0 != Self.everywhere && $0 != Self.sync } ?? Self.everywhere
      let all = platforms + (open.contains(Self.sync) ? ", with Sync" : "")
      lines.append(all)
      let isPublic = ["public ", "open "].contains { text.hasPrefix($0) }
      guard platforms == Self.apple, isPublic, !text.contains(" import ") else { continue }
      let declaration = Self.declaration(in: file.lines[number...])
      // Underscores, and what a conformance must name, are not listed; nor is anything twice.
      let isListed =
        ![" func _", "typealias Output ", "typealias Failure "].contains {
          declaration.contains($0)
        }
        && !unseen.contains { $0.text == declaration }
      if isListed { unseen.append(Unseen(source: source, text: declaration, platforms: all)) }
    }
    byLine[source] = lines
  }

  /// A declaration from its first line to where its body begins, or it ends.
  private static func declaration(in lines: some Sequence<Substring>) -> String {
    var text = ""
    for line in lines {
      let part = line.trimmingCharacters(in: .whitespaces)
      text += text.isEmpty || text.hasSuffix("(") || part.hasPrefix(")") ? part : " " + part
      if let body = text.range(of: " {") { return String(text[..<body.lowerBound]) }
      let isOpen = text.filter { "(<".contains($0) }.count > text.filter { ")>".contains($0) }.count
      if !isOpen, !text.hasSuffix("="), text.contains("typealias ") { return text }
    }
    return text
  }

  private static func platforms(of condition: String) -> String {
    let isApple = ["Darwin", "ObjectiveC", "Combine", "SwiftUI", "os("].contains {
      condition.contains($0)
    }
    guard isApple else { return everywhere }
    return condition.contains("!canImport") ? others : apple
  }
}
