// SPDX-License-Identifier: Apache-2.0

// One public symbol as the table shows it, and how the symbols come out of the compiler's graph.

import Foundation

/// What an app can name, and what is known of it.
struct PublicSymbol {
  /// The compiler's identifier.
  var identifier: String
  /// The type it belongs to or that it is, "" for global functions.
  var group: String
  var kind: String
  /// Name with labels, without its type.
  var name: String
  /// As it is written in the source, with the conditions of its extension.
  var declaration: String
  /// Relative to the sources of the module; nil for what the compiler writes.
  var source: String?
  var platforms: String
  var isDocumented: Bool
  /// Whether it fulfils a requirement for types that do not.
  var isDefault: Bool

  var isType: Bool { Self.typeKinds.contains(kind) }

  fileprivate static let typeKinds: Set<String> = [
    "swift.class", "swift.struct", "swift.enum", "swift.protocol", "swift.actor",
  ]

  /// Order inside of a type: the type, how one is made, what it has, what it does.
  var rank: Int {
    if isType { return 0 }
    let kinds = [
      "swift.typealias", "swift.associatedtype", "swift.enum.case", "swift.init",
      "swift.type.property", "swift.property", "swift.subscript", "swift.type.method",
      "swift.method", "swift.func", "swift.func.op",
    ]
    return 1 + (kinds.firstIndex(of: kind) ?? kinds.count)
  }

  /// Name of the kind as a reader of Swift says it.
  var kindName: String {
    let names = [
      "swift.enum.case": "case", "swift.type.property": "static property",
      "swift.type.method": "static method", "swift.func": "function", "swift.func.op": "operator",
      "swift.init": "initialiser", "swift.associatedtype": "associated type",
    ]
    let name = names[kind] ?? String(kind.dropFirst("swift.".count))
    return isDefault ? "default \(name)" : name
  }
}

extension SymbolGraph {
  /// Names of types that a conformance must give; the protocol says what they are.
  private static let conformanceTypes: Set<String> = [
    "PersistedType", "Element", "Failure", "Iterator", "SubSequence", "Indices", "Index", "Key",
    "Value", "Wrapped", "WrappedType", "SectionElement",
  ]

  /// The symbols in the order of the table.
  func publicSymbols(platforms: PlatformBlocks) -> [PublicSymbol] {
    let ownConditions = Dictionary(
      symbols.map { ($0.pathComponents, $0.swiftGenerics?.constraints ?? []) },
      uniquingKeysWith: { first, _ in first })
    let defaults = Set(
      relationships.filter { $0.kind == "defaultImplementationOf" }.map(\.source))
    return symbols.compactMap { symbol in
      let kind = symbol.kind.identifier
      if kind == "swift.typealias", symbol.pathComponents.count > 1,
        Self.conformanceTypes.contains(symbol.pathComponents.last ?? "")
      {
        return nil
      }
      let parent = Array(symbol.pathComponents.dropLast())
      let isType = PublicSymbol.typeKinds.contains(symbol.kind.identifier)
      let known = Set(ownConditions[parent] ?? [])
      let conditions = (symbol.swiftExtension?.constraints ?? []).filter { !known.contains($0) }
      let source = symbol.location.flatMap { location in
        location.uri.range(of: "/Sources/\(ModuleOrder.apiModule)/").map {
          String(location.uri[$0.upperBound...])
        }
      }
      return PublicSymbol(
        identifier: symbol.identifier.precise,
        group: (isType ? symbol.pathComponents : parent).joined(separator: "."),
        kind: symbol.kind.identifier,
        name: symbol.pathComponents.last ?? "",
        declaration: Self.text(of: symbol, conditions: conditions),
        source: source?.removingPercentEncoding,
        platforms: source.map { platforms.platforms(of: $0, line: symbol.location?.position.line) }
          ?? PlatformBlocks.everywhere,
        isDocumented: symbol.docComment != nil,
        isDefault: defaults.contains(symbol.identifier.precise))
    }.sorted {
      ($0.group, $0.rank, $0.name, $0.declaration, $0.identifier)
        < ($1.group, $1.rank, $1.name, $1.declaration, $1.identifier)
    }
  }

  private static func text(of symbol: Symbol, conditions: [Constraint]) -> String {
    let fragments = symbol.declarationFragments.map(\.spelling).joined()
    let declaration = fragments.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard !conditions.isEmpty else { return declaration }
    let clause = conditions.map(\.text).joined(separator: ", ")
    return declaration + (declaration.contains(" where ") ? ", " : " where ") + clause
  }
}
