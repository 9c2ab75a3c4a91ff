// SPDX-License-Identifier: Apache-2.0

// The compiler's symbol graph: what the public module declares, as JSON.

import Foundation

/// The parts of a symbol graph file that the tables need.
struct SymbolGraph: Decodable {
  struct Symbol: Decodable {
    struct Kind: Decodable { var identifier: String }
    struct Identifier: Decodable { var precise: String }
    struct Fragment: Decodable { var spelling: String }
    struct Documentation: Decodable {}
    struct Generics: Decodable { var constraints: [Constraint]? }
    struct Location: Decodable {
      struct Position: Decodable { var line: Int }
      var uri: String
      var position: Position
    }

    var kind: Kind
    var identifier: Identifier
    var pathComponents: [String]
    var declarationFragments: [Fragment]
    var docComment: Documentation?
    var swiftGenerics: Generics?
    var swiftExtension: Generics?
    var location: Location?
  }

  /// A condition of a `where` clause.
  struct Constraint: Decodable, Hashable {
    var kind: String
    var lhs: String
    var rhs: String

    var text: String { kind == "sameType" ? "\(lhs) == \(rhs)" : "\(lhs): \(rhs)" }
  }

  struct Relationship: Decodable {
    var kind: String
    var source: String
    var target: String
  }

  var symbols: [Symbol]
  var relationships: [Relationship]

  /// Reads the files of a graph as one: extensions of other modules' types have their own.
  init(files: [URL]) throws {
    symbols = []
    relationships = []
    for file in files {
      let part = try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: file))
      symbols += part.symbols
      relationships += part.relationships
    }
  }
}
