// SPDX-License-Identifier: Apache-2.0

// The order of the tower: which module may see which, in imports and in the manifest.

import Foundation

/// A module sees only modules below it.
enum ModuleOrder {
  static let apiModule = "RealmSwift"

  /// What each module may import of ours.
  static let allowed: [String: Set<String>] = [
    "CRealmPlatform": [],
    "RealmText": [],
    "RealmFormats": ["RealmText"],
    "RealmSyncProtocol": ["RealmFormats", "RealmText"],
    "RealmStorage": ["CRealmPlatform"],
    "RealmTables": ["RealmStorage"],
    "RealmReplication": [
      "RealmFormats", "RealmText", "RealmSyncProtocol", "RealmTables", "RealmStorage",
    ],
    "RealmSync": [
      "RealmFormats", "RealmText", "RealmReplication", "RealmSyncProtocol", "RealmTables",
      "RealmStorage",
    ],
    "RealmQuery": ["RealmText", "RealmTables", "RealmStorage", "CRealmPlatform"],
    "RealmDeclarations": ["RealmFormats", "RealmQuery", "RealmTables"],
    "RealmServerEngine": [
      "RealmDeclarations", "RealmFormats", "RealmText", "RealmReplication", "RealmSyncProtocol",
      "RealmQuery",
      "RealmTables", "RealmStorage",
    ],
    "RealmServerServices": [
      "RealmServerEngine", "RealmDeclarations", "RealmFormats", "RealmText", "RealmReplication",
      "RealmSyncProtocol", "RealmQuery", "RealmTables", "RealmStorage",
    ],
    "RealmServerPostgres": [
      "RealmDeclarations", "RealmServerEngine", "RealmReplication", "RealmSyncProtocol",
      "RealmTables", "RealmStorage",
    ],
    "RealmSession": ["RealmQuery", "RealmTables", "RealmStorage", "CRealmPlatform"],
    "RealmSalvage": ["RealmTables", "RealmStorage"],
    "RealmSwift": [
      "RealmFormats", "RealmText", "RealmSession", "RealmSalvage", "RealmSync", "RealmNetworking",
      "RealmSyncProtocol",
      "RealmQuery",
      "RealmTables", "RealmStorage", "CRealmPlatform",
    ],
    "RealmNetworking": ["RealmFormats", "RealmText", "RealmSyncProtocol"],
    "RealmMetrics": ["RealmSwift"],
    "RealmInventory": [],
    "RealmPages": ["RealmFormats", "RealmText"],
    "RealmServerKit": [
      "RealmSwift", "RealmDeclarations", "RealmFormats", "RealmText", "RealmServerEngine",
      "RealmServerServices", "RealmNetworking", "RealmPages", "RealmSyncProtocol",
      "RealmStorage", "RealmServerPostgres",
    ],
    "RealmServer": [
      "RealmServerKit", "RealmDeclarations", "RealmFormats", "RealmServerEngine",
      "RealmServerServices", "RealmSyncProtocol", "RealmStorage", "RealmInventory",
    ],
    "RealmTools": [
      "RealmDeclarations", "RealmSalvage", "RealmQuery", "RealmTables", "RealmStorage",
      "RealmFormats", "RealmText",
    ],
    "RealmCommand": [
      "RealmDeclarations", "RealmTools", "RealmSalvage", "RealmStudio", "RealmTables",
      "RealmStorage",
      "RealmFormats", "RealmInventory",
    ],
    "RealmStudio": [
      "RealmTools", "RealmSalvage", "RealmPages", "RealmFormats", "RealmText", "RealmQuery",
      "RealmTables", "RealmStorage",
    ],
    "RealmTestSupport": [
      "RealmFormats", "RealmText", "RealmTables", "RealmStorage", "CRealmPlatform",
    ],
    "RealmSyncTestSupport": [
      "RealmDeclarations", "RealmFormats", "RealmText", "RealmQuery", "RealmReplication",
      "RealmServerEngine",
      "RealmStorage", "RealmSync", "RealmSyncProtocol", "RealmTables", "RealmTestSupport",
    ],
    "ErrandModels": ["RealmSwift"],
    "TodosAppModel": ["RealmSwift"],
    "RealmFuzzTargets": [
      "RealmDeclarations", "RealmFormats", "RealmText", "RealmQuery", "RealmReplication",
      "RealmSalvage", "RealmServerEngine", "RealmServerServices", "RealmStorage",
      "RealmSyncProtocol", "RealmTables", "RealmTestSupport", "RealmTools",
    ],
    "FuzzDriver": [],
    "AllocationCounter": [],
    "TestExtensions": [],
    "RealmSwiftTestSupport": [
      "RealmSwift", "RealmStorage", "RealmTestSupport", "TestExtensions",
    ],
    "RealmBrowserSupport": ["RealmFormats", "RealmTestSupport"],
  ]

  /// What each module may import of the toolchain's, apart from the standard library.
  static let allowedSystem: [String: Set<String>] = [
    "RealmStorage": [
      "Synchronization", "Dispatch", "Glibc", "Darwin", "Musl", "Android", "CommonCrypto", "Crypto",
      "_CryptoExtras", "Foundation", "FoundationEssentials",
    ],
    "RealmTables": ["Synchronization", "Glibc", "Darwin", "Musl"],
    "RealmSync": ["Dispatch", "Glibc", "Darwin", "Musl"],
    "RealmQuery": ["Synchronization", "Glibc", "Darwin", "Musl"],
    "RealmServerEngine": ["Synchronization", "Glibc", "Darwin", "Musl"],
    "RealmServerPostgres": ["Synchronization", "Glibc", "Darwin", "Musl"],
    "RealmSession": [
      "Foundation", "Dispatch", "Observation", "Synchronization", "Glibc", "Darwin", "Musl",
    ],
    "RealmSwift": [
      "Foundation", "Dispatch", "Observation", "Synchronization", "Glibc", "Darwin", "Musl",
      "ObjectiveC", "Combine", "OpenCombine", "OpenCombineDispatch", "SwiftUI", "Logging",
    ],
    "RealmMetrics": ["CoreMetrics", "Tracing", "Foundation", "Synchronization"],
    // Networking packages stand in these alone.
    "RealmNetworking": [
      "NIOCore", "NIOPosix", "NIOHTTP1", "NIOWebSocket", "NIOSSL", "NIOConcurrencyHelpers",
      "AsyncHTTPClient", "Network", "Glibc", "Darwin", "Musl",
    ],
    "RealmPages": ["NIOCore", "HTTPTypes", "HummingbirdCore", "Foundation"],
    "RealmServerKit": [
      "NIOCore", "NIOPosix", "NIOHTTP1", "NIOWebSocket", "NIOSSL", "NIOConcurrencyHelpers",
      "NIOHTTPTypes", "NIOHTTPTypesHTTP1", "HTTPTypes", "HummingbirdCore", "HummingbirdTLS",
      "ServiceLifecycle", "Metrics", "CoreMetrics", "Tracing", "Logging", "Crypto",
      "_CryptoExtras", "Synchronization", "Foundation", "Glibc", "Darwin", "Musl",
    ],
    "RealmServer": [
      "ArgumentParser", "ServiceLifecycle", "UnixSignals", "Metrics", "Logging", "Synchronization",
      "Foundation", "Glibc", "Darwin", "Musl",
    ],
    // The work of the tools needs no package of others; the command line has what a terminal needs.
    "RealmTools": ["Foundation", "Synchronization", "Glibc", "Darwin", "Musl"],
    "RealmSalvage": ["Foundation"],
    "RealmCommand": [
      "ArgumentParser", "Foundation", "Dispatch", "Glibc", "Darwin", "Musl",
    ],
    "RealmStudio": [
      "NIOCore", "NIOPosix", "HummingbirdCore", "ServiceLifecycle", "UnixSignals", "Logging",
      "Dispatch", "Foundation",
    ],
    "RealmSyncTestSupport": ["Synchronization"],
    "RealmTestSupport": [
      "Foundation", "Dispatch", "Synchronization", "Glibc", "Darwin", "Musl", "Testing",
    ],
  ]

  /// What each module may use of other packages: products, and the packages they are of.
  static let allowedProducts: [String: Set<String>] = [
    "RealmStorage": ["Crypto", "_CryptoExtras", "swift-crypto"],
    "RealmSwift": ["Logging", "swift-log"],
  ]

  /// Imports point down.
  static func imports(_ file: SourceFile) -> [Violation] {
    guard let module = file.module, file.isSwift else { return [] }
    guard let ours = allowed[module] else {
      return [
        Violation(
          rule: "module-order", path: file.path, line: 1, message: "\(module) has no place")
      ]
    }
    let seen = ours.union(allowedSystem[module] ?? []).union(["Swift"])
    return importedModules(file).compactMap { name, line in
      guard !seen.contains(name) else { return nil }
      return Violation(
        rule: "module-order", path: file.path, line: line, message: "\(module) imports \(name)")
    }
  }

  /// The modules that a file imports, with the lines.
  static func importedModules(_ file: SourceFile) -> [(name: String, line: Int)] {
    let declarationKinds: Set<String> = [
      "struct", "class", "enum", "protocol", "typealias", "func", "let", "var",
    ]
    return file.tokens.indices.compactMap { index in
      guard file.tokens[index].text == "import", index + 1 < file.tokens.count else { return nil }
      var next = index + 1
      if declarationKinds.contains(file.tokens[next].text) { next += 1 }
      guard next < file.tokens.count else { return nil }
      return (file.tokens[next].text, file.tokens[index].line)
    }
  }

  /// The manifest declares no dependency that points up.
  static func manifest(_ text: String) -> [Violation] {
    let targets = manifestTargets(text)
    return targets.flatMap { target, dependencies in
      guard let ours = allowed[target] else { return [Violation]() }
      let others = allowedProducts[target] ?? []
      return dependencies.subtracting(ours).subtracting(others).sorted().map { name in
        Violation(
          rule: "module-order", path: "Package.swift", line: 1,
          message: "\(target) depends on \(name)")
      }
    }
  }

  /// The targets of a manifest and what they depend on: libraries, and those programs that are
  /// modules of the tower. Test targets and examples are not among them.
  static func manifestTargets(_ text: String) -> [(name: String, dependencies: Set<String>)] {
    targets(text, after: ".target(")
      + targets(text, after: ".executableTarget(").filter { allowed[$0.name] != nil }
  }

  private static func targets(
    _ text: String, after start: String
  ) -> [(name: String, dependencies: Set<String>)] {
    text.components(separatedBy: start).dropFirst().compactMap { part in
      var depth = 1
      let body = part.prefix { character in
        if character == "(" { depth += 1 }
        if character == ")" { depth -= 1 }
        return depth > 0
      }
      guard let name = quoted(after: "name:", in: body).first else { return nil }
      return (name, Set(quoted(after: "dependencies:", in: body)))
    }
  }

  /// The strings of the literal, or of the array of literals, that follows a label.
  private static func quoted(after label: String, in text: Substring) -> [String] {
    guard let start = text.range(of: label)?.upperBound else { return [] }
    let rest = text[start...].drop { $0 == " " || $0 == "\n" }
    let value =
      rest.first == "[" ? rest.prefix { $0 != "]" } : rest.prefix { $0 != "," && $0 != "\n" }
    return value.split(separator: "\"", omittingEmptySubsequences: false)
      .enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }
}
