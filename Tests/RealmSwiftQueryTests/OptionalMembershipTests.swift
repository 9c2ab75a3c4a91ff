// SPDX-License-Identifier: Apache-2.0

// Optional properties compared with values that are not optional, as apps have them.

import Foundation
import RealmSwift
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

private struct Metres: CustomPersistable, Hashable {
  var value: Double

  init(_ value: Double) { self.value = value }

  init(persistedValue: Double) { value = persistedValue }

  var persistableValue: Double { value }
}

private final class Walk: Object {
  @Persisted var length: Metres?
  @Persisted var nick: String?
  @Persisted var stations: Map<String, String?>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct OptionalMembershipTests {
  private let file: TemporaryRealm
  private let realm: Realm
  private let rows: [MatrixRow]

  init() throws {
    file = try TemporaryRealm([MatrixRow.self, MatrixPart.self])
    realm = try file.open()
    var random = SeededGenerator(seed: 41)
    let realm = realm
    rows = try realm.write {
      let rows = (0..<40).map { realm.create(MatrixRow.self, value: ["id": $0]) }
      for row in rows {
        row.fill(&random)
        row.next = random.chance(0.3) ? nil : rows.randomElement(using: &random)
      }
      return rows
    }
  }

  private func expect(
    _ query: (Query<MatrixRow>) -> Query<Bool>, _ meaning: (MatrixRow) -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let found = Array(realm.objects(MatrixRow.self).where(query).map(\.id))
    let wanted = rows.filter(meaning).map(\.id)
    #expect(found == wanted, sourceLocation: sourceLocation)
  }

  private func expectMembers<V>(
    _ paths: MatrixPaths<V>, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let list = paths.optionalList
    for count in 0...3 {
      let values = Array(paths.values.reversed().prefix(count))
      for path in [paths.optional, paths.optionalIndexed].compactMap(\.self) {
        func isMember(_ row: MatrixRow) -> Bool {
          row[keyPath: path].map { value in values.contains { $0 == value } } ?? false
        }
        expect(
          { $0[dynamicMember: path].in(values) }, isMember, sourceLocation: sourceLocation)
        expect(
          { !$0[dynamicMember: path].in(Set(values)) }, { !isMember($0) },
          sourceLocation: sourceLocation)
      }
      expect(
        { $0[dynamicMember: list].containsAny(in: values[...]) },
        { row in
          row[keyPath: list].contains { value in values.contains { $0 == value } }
        }, sourceLocation: sourceLocation)
    }
  }

  @Test func propertiesOfEveryType() {
    expectMembers(.int)
    expectMembers(.int8)
    expectMembers(.int16)
    expectMembers(.int32)
    expectMembers(.int64)
    expectMembers(.bool)
    expectMembers(.float)
    expectMembers(.double)
    expectMembers(.string)
    expectMembers(.data)
    expectMembers(.date)
    expectMembers(.decimal)
    expectMembers(.objectId)
    expectMembers(.uuid)
    expectMembers(.level)
    expectMembers(.word)
  }

  @Test func sequencesOfAllKinds() {
    let rows = rows
    expect({ $0.intOptional.in(0...2) }) { $0.intOptional.map { (0...2).contains($0) } ?? false }
    expect({ $0.intOptional.in([1, 2, 5].lazy.map { $0 - 1 }) }) {
      [0, 1, 4].contains($0.intOptional)
    }
    expect({ $0.intOptional.in(rows[0].intList) }) { row in
      row.intOptional.map { rows[0].intList.contains($0) } ?? false
    }
    expect({ $0.next.in(rows.prefix(9)) }) { row in rows.prefix(9).contains { $0 == row.next } }
    expect({ $0.next.intOptional.in([0, 1]) }) { [0, 1].contains($0.next?.intOptional) }
    expect({ $0.levelOptional.rawValue.in([3, -1]) }) {
      [.high, .low].contains($0.levelOptional)
    }
  }

  @Test func literalsAndOptionalValuesMeanWhatTheyDid() {
    expect({ $0.stringOptional.in([]) }) { _ in false }
    expect({ $0.stringOptional.in(["a", "b"]) }) { ["a", "b"].contains($0.stringOptional) }
    expect({ $0.stringOptional.in(["a", nil]) }) { ["a", nil].contains($0.stringOptional) }
    let values: [String?] = ["é", nil]
    expect({ $0.stringOptional.in(values) }) { values.contains($0.stringOptional) }
    expect({ $0.levelOptional.in([.low, nil]) }) { [.low, nil].contains($0.levelOptional) }
    expect({ $0.stringOptionalList.containsAny(in: ["a", nil]) }) {
      $0.stringOptionalList.contains { $0 == "a" || $0 == nil }
    }
    expect({ $0.string.in(["a", "b"]) }) { ["a", "b"].contains($0.string) }
  }

  @Test func comparisonsWithValuesThatAreNotOptional() {
    let (text, number, date, level) = ("a", 1, Date(timeIntervalSince1970: 0.5), MatrixLevel.high)
    expect({ $0.stringOptional == text }) { $0.stringOptional == text }
    expect({ $0.stringOptional != text }) { $0.stringOptional != text }
    expect({ $0.stringOptional.contains(text) }) { $0.stringOptional?.contains(text) ?? false }
    expect({ $0.stringOptional.starts(with: text) }) {
      $0.stringOptional?.hasPrefix(text) ?? false
    }
    expect({ $0.stringOptional.ends(with: text, options: .caseInsensitive) }) {
      $0.stringOptional?.lowercased().hasSuffix(text) ?? false
    }
    expect({ $0.stringOptional.like(text) }) { $0.stringOptional == text }
    expect({ $0.intOptional > number }) { $0.intOptional.map { $0 > number } ?? false }
    expect({ $0.dateOptional <= date }) { $0.dateOptional.map { $0 <= date } ?? false }
    expect({ $0.intOptional.contains(-1..<number) }) {
      $0.intOptional.map { (-1..<number).contains($0) } ?? false
    }
    expect({ $0.levelOptional == level }) { $0.levelOptional == level }
    expect({ $0.stringOptionalList.contains(text) }) { $0.stringOptionalList.contains(text) }
    expect({ $0.next == rows[3] }) { $0.next == rows[3] }
  }

  @Test func longChainsOfConditions() {
    let query = Query<MatrixRow>._constructForTesting()
    let either = (1..<1000).reduce(query.int == 0) { $0 || query.int == -$1 }
    let both = (1..<1000).reduce(query.int != 0) { $0 && query.int != $1 }
    expect({ _ in either }) { (-999...0).contains($0.int) }
    expect({ _ in both }) { !(0...999).contains($0.int) }
    let (text, arguments) = either._constructPredicate()
    expectTrue(text.hasPrefix("((((("))
    expectTrue(text.hasSuffix(" || (int == %@))"))
    expectEqual(arguments.count, 1000)
  }

  @Test func ownTypesAndMaps() throws {
    let file = try TemporaryRealm([Walk.self])
    let realm = try file.open()
    try realm.write {
      for length in [nil, 1, 2, 3] as [Double?] {
        let walk = Walk()
        walk.length = length.map { Metres($0) }
        walk.nick = length.map { "walk \($0)" }
        walk.stations["first"] = .some(length.map { "\($0)" })
        realm.add(walk)
      }
    }
    let walks = realm.objects(Walk.self)
    let lengths = [Metres(1), Metres(3)]
    expectEqual(walks.where { $0.length.in(lengths) }.compactMap(\.length), lengths)
    expectEqual(walks.where { $0.length.persistableValue.in([1, 2] as Set) }.count, 2)
    let stations = ["1.0", "7.0"]
    expectEqual(walks.where { $0.stations.containsAny(in: stations[...]) }.count, 1)
    expectEqual(walks.where { $0.stations["first"].in(stations) }.count, 1)
    let nicks = walks.compactMap(\.nick)
    expectEqual(walks.where { $0.nick.in(nicks) }.count, 3)
  }
}
