// SPDX-License-Identifier: Apache-2.0

// Which test examines a symbol.
//
// A symbol is examined by a file of tests that names it; overloads are distinct. What cannot be
// named alone goes with what it belongs to:
// 1. A type is examined by who names one of its members, a protocol also by who names a type that
//    conforms to it.
// 2. A requirement is examined by who names what fulfils it.
// 3. The associated types of a protocol are examined with the protocol.
// 4. What the language or the standard library calls for the program (a loop calls
//    `makeIterator()`, an encoder `encode(to:)`) is examined with its type.

import Foundation

/// Finds the tests of symbols.
struct SymbolUse {
  /// Members that programs seldom name.
  private static let calledForThem: Set<String> = [
    "encode(to:)", "init(from:)", "hash(into:)", "init(rawValue:)", "makeIterator()", "next()",
    "init(wrappedValue:)", "decode(_:forKey:)", "enqueue(_:)", "checkIsolated()",
    "isIsolatingCurrentContext()", "description", "startIndex", "endIndex", "index(after:)",
    "index(before:)", "index(_:offsetBy:)", "distance(from:to:)",
  ]

  private let files: [String: Set<String>]
  private let filesByIdentifier: [String: Set<String>]
  private let membersByGroup: [String: [PublicSymbol]]
  private let conformingGroups: [String: Set<String>]

  init(symbols: [PublicSymbol], graph: SymbolGraph, files: [String: Set<String>]) {
    self.files = files
    var filesByIdentifier: [String: Set<String>] = [:]
    for (path, identifiers) in files {
      for identifier in identifiers { filesByIdentifier[identifier, default: []].insert(path) }
    }
    self.filesByIdentifier = filesByIdentifier
    membersByGroup = Dictionary(grouping: symbols, by: \.group)
    let types = Dictionary(
      symbols.filter(\.isType).map { ($0.identifier, $0.group) }, uniquingKeysWith: { $1 })
    var conforming: [String: Set<String>] = [:]
    for relation in graph.relationships where relation.kind == "conformsTo" {
      guard let source = types[relation.source], let target = types[relation.target] else {
        continue
      }
      conforming[target, default: []].insert(source)
    }
    conformingGroups = conforming
  }

  /// The files of tests that examine a symbol.
  func tests(of symbol: PublicSymbol) -> Set<String> {
    if let direct = filesByIdentifier[symbol.identifier] { return direct }
    if symbol.isType { return tests(ofType: symbol.group) }
    if symbol.kind == "swift.associatedtype" || isCalledForPrograms(symbol) {
      return tests(ofType: symbol.group)
    }
    return conforming(to: symbol.group).reduce(into: []) { found, group in
      for member in membersByGroup[group, default: []] where member.name == symbol.name {
        found.formUnion(filesByIdentifier[member.identifier, default: []])
      }
    }
  }

  /// Whether rule 4 applies. `@Persisted var` calls the initialiser of the wrapper.
  private func isCalledForPrograms(_ symbol: PublicSymbol) -> Bool {
    Self.calledForThem.contains(symbol.name)
      || symbol.group == "Persisted" && symbol.kind == "swift.init"
  }

  /// The one that a reader should open: it names most of the type.
  func bestTest(of symbol: PublicSymbol) -> String? {
    let members = Set(membersByGroup[symbol.group, default: []].map(\.identifier))
    return tests(of: symbol).max { left, right in
      let (leftCount, rightCount) = (count(members, in: left), count(members, in: right))
      return leftCount == rightCount ? left > right : leftCount < rightCount
    }
  }

  private func count(_ members: Set<String>, in file: String) -> Int {
    files[file, default: []].intersection(members).count
  }

  private func tests(ofType group: String) -> Set<String> {
    let groups = conforming(to: group).union([group])
    return groups.reduce(into: []) { found, group in
      for member in membersByGroup[group, default: []] {
        found.formUnion(filesByIdentifier[member.identifier, default: []])
      }
    }
  }

  /// The types that conform to a protocol, and to those that refine it.
  private func conforming(to group: String) -> Set<String> {
    var found: Set<String> = []
    var open = [group]
    while let next = open.popLast() {
      for type in conformingGroups[next, default: []] where found.insert(type).inserted {
        open.append(type)
      }
    }
    return found
  }
}
