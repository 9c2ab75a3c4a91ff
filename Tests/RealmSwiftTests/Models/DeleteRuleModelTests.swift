// SPDX-License-Identifier: Apache-2.0

// Random graphs: what is deleted is what a definition by exhaustion says.

import Foundation
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

private class Vertex: Object {
  @Persisted(primaryKey: true) var number: Int
  @Persisted(onDelete: .cascade) var owned: List<Vertex>
  @Persisted(onDelete: .cascade) var only: Vertex?
  @Persisted(onDelete: .cascadeIfOrphaned) var shared: MutableSet<Vertex>
  @Persisted(onDelete: .cascadeIfOrphaned) var named: Map<String, Vertex?>
  @Persisted var known: List<Vertex>
  @Persisted(onDelete: .nullify) var mixed: AnyRealmValue
  @Persisted var box: Box?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Box: EmbeddedObject {
  @Persisted(onDelete: .cascadeIfOrphaned) var content: Vertex?
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A small graph: all that rules depend on.
private struct Graph {
  enum Kind: CaseIterable { case owned, only, shared, named, known, mixed, box }

  struct Edge: Hashable {
    var from: Int
    var to: Int
    var kind: Kind
  }

  let count: Int
  var edges: Set<Edge> = []

  init(_ generator: inout SeededGenerator) {
    count = Int.random(in: 1...7, using: &generator)
    for _ in 0..<Int.random(in: 0...(count * 2), using: &generator) {
      guard let kind = Kind.allCases.randomElement(using: &generator) else { continue }
      let edge = Edge(
        from: Int.random(in: 0..<count, using: &generator),
        to: Int.random(in: 0..<count, using: &generator), kind: kind)
      let isSingle = kind == .only || kind == .mixed || kind == .box
      if isSingle, edges.contains(where: { $0.from == edge.from && $0.kind == kind }) { continue }
      edges.insert(edge)
    }
  }

  /// What can be reached from `seeds`, if exactly the vertices of `gone` go.
  private func reached(from seeds: Set<Int>, _ gone: Set<Int>) -> Set<Int> {
    var found = seeds
    var isChanged = true
    while isChanged {
      isChanged = false
      for edge in edges where found.contains(edge.from) && !found.contains(edge.to) {
        switch edge.kind {
        case .owned, .only: break
        case .shared, .named, .box:
          if edges.contains(where: { $0.to == edge.to && !gone.contains($0.from) }) { continue }
        case .known, .mixed: continue
        }
        found.insert(edge.to)
        isChanged = true
      }
    }
    return found
  }

  /// The largest set that is exactly what its own going takes along.
  func doomed(with seeds: Set<Int>) -> Set<Int> {
    var largest = seeds
    for bits in 0..<(1 << count) {
      let gone = Set((0..<count).filter { bits >> $0 & 1 == 1 })
      if gone.count >= largest.count, reached(from: seeds, gone) == gone { largest = gone }
    }
    return largest
  }

  func write(to realm: Realm) {
    let vertices = (0..<count).map { realm.create(Vertex.self, value: ["number": $0]) }
    for edge in edges.sorted(by: { ($0.from, $0.to) < ($1.from, $1.to) }) {
      let (from, to) = (vertices[edge.from], vertices[edge.to])
      switch edge.kind {
      case .owned: from.owned.append(objectsIn: [to, to])
      case .only: from.only = to
      case .shared: from.shared.insert(to)
      case .named: from.named["to \(edge.to)"] = to
      case .known: from.known.append(to)
      case .mixed: from.mixed = .fromArray([.object(to)])
      case .box: from.box = Box(value: ["content": to])
      }
    }
  }
}

struct DeleteRuleModelTests {
  /// `DeletionPlan` 1 and 2.
  @Test func randomGraphsLoseWhatTheDefinitionSays() throws {
    let file = try TemporaryRealm([Vertex.self, Box.self])
    let realm = try file.open()
    for seed in 0..<250 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let graph = Graph(&generator)
      let seeds = Set(
        (0...Int.random(in: 0...1, using: &generator)).map { _ in
          Int.random(in: 0..<graph.count, using: &generator)
        })
      realm.beginWrite()
      graph.write(to: realm)
      let isDynamic = generator.chance(0.2)
      if isDynamic {
        realm.delete(seeds.compactMap { realm.dynamicObject(ofType: "Vertex", forPrimaryKey: $0) })
      } else {
        realm.delete(realm.objects(Vertex.self).where { $0.number.in(seeds) })
      }
      let left = Set(realm.objects(Vertex.self).map(\.number))
      let expected = Set(0..<graph.count).subtracting(graph.doomed(with: seeds))
      expectEqual(left, expected, "seed \(seed): \(graph.edges), without \(seeds)")
      for vertex in realm.objects(Vertex.self) {
        #expect(vertex.known.allSatisfy { left.contains($0.number) }, "seed \(seed)")
      }
      realm.cancelWrite()
    }
  }

  /// `DeletionPlan` 3.
  @Test func longChainsThatPointBothWaysAreQuick() throws {
    let file = try TemporaryRealm([Vertex.self, Box.self])
    let realm = try file.open()
    let count = 3_000
    try realm.write {
      let vertices = (0...count).map { realm.create(Vertex.self, value: ["number": $0]) }
      for (vertex, next) in zip(vertices, vertices.dropFirst()) {
        vertex.shared.insert(next)
        next.known.append(vertex)
      }
      let end = realm.create(Vertex.self, value: ["number": -1])
      end.known.append(vertices[count])
      realm.delete(vertices[0])
      expectEqual(realm.objects(Vertex.self).count, count + 1)
      end.known.removeAll()
      realm.delete(vertices[1])
      expectEqual(realm.objects(Vertex.self).map(\.number), [-1])
    }
  }
}
