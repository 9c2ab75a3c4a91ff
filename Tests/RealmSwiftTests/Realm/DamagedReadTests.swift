// SPDX-License-Identifier: Apache-2.0

// Reads of damaged files in the body of a snapshot, and where the program takes damage: they end by
// a value or by an error that says where the damage is, and never by a trap.

import Foundation
import RealmStorage
import RealmSwiftTestSupport
import RealmTables
import RealmTestSupport
import Synchronization
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmSwift

/// A file, of which copies get damaged.
private final class DamagedFiles {
  let files: TemporaryRealm
  let bytes: [UInt8]
  private var number = 0

  init(count: Int) throws {
    files = try Fragile.makeFile(count: count)
    bytes = [UInt8](try Data(contentsOf: try #require(files.configuration.fileURL)))
  }

  /// The configuration of a file with other bytes.
  func copy(_ bytes: [UInt8]) throws -> Realm.Configuration {
    number += 1
    var configuration = files.configuration
    configuration.fileURL = files.directory.appendingPathComponent("copy\(number).realm")
    try Data(bytes).write(to: try #require(configuration.fileURL))
    return configuration
  }

  /// The bytes, in which a column's leaf has lost its elements.
  func losing(_ property: String) throws -> [UInt8] {
    let realm = try files.open()
    defer { withExtendedLifetime(realm) {} }
    let table = try #require(
      try realm.core.readableTables().table(named: "class_Fragile"))
    let column = try #require(table.schema.column(named: property))
    var cursor = table.clusterCursor()
    let leaf = try #require(try cursor.next()).leafRef(column.leafIndex)
    var damaged = bytes
    for place in 5..<8 { damaged[leaf.offset + place] = 0 }
    return damaged
  }

  /// The bytes with one flipped bit: in half of the cases of a header.
  func flipped(_ random: inout SeededGenerator) -> [UInt8] {
    let headers = stride(from: 24, to: bytes.count - 8, by: 8).filter { bytes[$0 + 3] == 0x41 }
    var damaged = bytes
    var offset = Int.random(in: 24..<bytes.count, using: &random)
    if random.chance(0.5), let header = headers.randomElement(using: &random) {
      offset = header + Int.random(in: 4..<24, using: &random)
    }
    damaged[min(offset, bytes.count - 1)] ^= UInt8(1) << UInt8.random(in: 0..<8, using: &random)
    return damaged
  }
}

/// Ends the process, which an exit test has started, with what it has found. A trap ends it
/// otherwise.
private func finish(_ failures: [String], _ summary: String) -> Never {
  let text = failures.prefix(20).map { "FAILED \($0)\n" }.joined() + summary + "\n"
  FileHandle.standardError.write(Data(text.utf8))
  exit(0)
}

/// Expects that a process has ended so, and found no failure.
private func expectFinished(_ result: ExitTest.Result?, _ summary: String) {
  let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  expectTrue(said.contains(summary) && !said.contains("FAILED"), "\(said.suffix(6000))")
}

@Suite(.timeLimit(.minutes(10))) struct DamagedReadTests {
  static let rounds =
    ProcessInfo.processInfo.environment["REALM_FLIP_ROUNDS"].flatMap { Int($0) } ?? 8

  /// Every way to read × every property whose values are lost.
  private static func readLostProperties() throws -> Never {
    let damaged = try DamagedFiles(count: 6)
    let properties = ModelSchema.of(Fragile.self).properties.filter {
      $0.shape.type != .linkingObjects && $0.name != "id"
    }
    var failures: [String] = []
    var named: [String: Int] = [:]
    for property in properties {
      let configuration = try damaged.copy(damaged.losing(property.name))
      var isNamed = false
      for way in FragileReader.ways {
        let text = Traps.text {
          try Realm.snapshot(of: configuration) { way.read(FragileReader(realm: $0)) }
        }
        if text == "nothing" { continue }
        guard text.hasPrefix("threw ") else {
          failures.append("\(property.name), \(way.name): \(text)")
          continue
        }
        named[way.name, default: 0] += 1
        isNamed = isNamed || text.contains("'Fragile.\(property.name)' was read, object key ")
      }
      if !isNamed { failures.append("\(property.name) is not named") }
    }
    let blind = FragileReader.ways.map(\.name).filter { named[$0] == nil }
    if !blind.isEmpty { failures.append("nothing found by \(blind)") }
    finish(failures, "read \(properties.count) properties: \(named)")
  }

  @Test func eachWayToReadThrowsTheDamageOfAProperty() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      try DamagedReadTests.readLostProperties()
    }
    expectFinished(result, "properties: ")
  }

  /// Reads files with one flipped bit by `read`, which gets the configuration.
  private static func readFlips(
    _ read: @escaping @Sendable (Realm.Configuration) throws -> Void
  ) throws -> Never {
    let damaged = try DamagedFiles(count: 7)
    var failures: [String] = []
    var (thrown, named) = (0, 0)
    let count = 8 * rounds
    for round in 0..<count {
      var random = SeededGenerator(seed: UInt64(round))
      let configuration = try damaged.copy(damaged.flipped(&random))
      // What cannot be opened throws without any of this.
      guard (try? Realm.snapshot(of: configuration, { _ in })) != nil else { continue }
      let text = Traps.text { try read(configuration) }
      if text == "nothing" { continue }
      thrown += 1
      if !text.hasPrefix("threw ") { failures.append("seed \(round): \(text)") }
      if text.contains("'Fragile") {
        named += 1
      } else {
        failures.append("seed \(round), no class: \(text)")
      }
    }
    if thrown < count / 20 { failures.append("only \(thrown) of \(count) flips were found") }
    finish(failures, "read \(count) files, of which \(thrown) threw, \(named) with the class")
  }

  @Test func flippedBitsEndReadsByAnErrorOrNotAtAll() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      try DamagedReadTests.readFlips { configuration in
        try Realm.snapshot(of: configuration) { FragileReader(realm: $0).readAll() }
      }
    }
    expectFinished(result, " threw")
  }

  @Test func flippedBitsAreToldAndEndNoRead() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      try DamagedReadTests.readFlips { configuration in
        let told = ToldDamage()
        var configuration = configuration
        configuration.onDamage = { told.note($0) }
        let realm = try Realm(configuration: configuration)
        FragileReader(realm: realm).readAll()
        guard let first = told.first else { return }
        do {
          try realm.write { realm.objects(Fragile.self).forEach { $0.int += 1 } }
        } catch { throw first }
        throw WroteAfterDamage()
      }
    }
    expectFinished(result, " threw")
  }

  private struct WroteAfterDamage: Error {}
  private struct OwnError: Error {}

  /// The errors that a program was told.
  private final class ToldDamage: Sendable {
    private let errors = Mutex<[Realm.Error]>([])
    var first: Realm.Error? { errors.withLock { $0.first } }
    var count: Int { errors.withLock { $0.count } }
    func note(_ error: Realm.Error) { errors.withLock { $0.append(error) } }
  }

  @Test func aLostValueReadsAsTheDefaultOfItsType() throws {
    let damaged = try DamagedFiles(count: 3)
    /// What is read of the first object whose values of a property are lost.
    func lost<Value: Sendable>(
      _ property: String, _ read: @Sendable @escaping (Fragile) -> Value
    ) throws -> Value {
      let seen = Mutex<Value?>(nil)
      let error = try #require(throws: Realm.Error.self) {
        try Realm.snapshot(of: damaged.copy(damaged.losing(property))) { realm in
          guard let object = realm.objects(Fragile.self).first else { return }
          let value = read(object)
          seen.withLock { $0 = value }
        }
      }
      expectEqual(error.code, .invalidDatabase)
      let key = "'Fragile.\(property)' was read, object key "
      expectTrue(error.localizedDescription.contains(key), "\(error)")
      return try #require(seen.withLock { $0 })
    }
    try expectEqual(lost("int") { $0.int }, 0)
    try expectEqual(lost("name") { $0.name }, "")
    try expectEqual(lost("double") { $0.double }, 0)
    try expectEqual(lost("bool") { $0.bool }, false)
    try expectEqual(lost("kind") { $0.kind }, .low)
    try expectEqual(lost("length") { $0.length.meters }, 0)
    try expectTrue(lost("optionalDate") { $0.optionalDate == nil })
    try expectTrue(lost("link") { $0.link == nil })
    try expectTrue(lost("any") { if case .none = $0.any { true } else { false } })
    try expectEqual(lost("ints") { Array($0.ints) }, [])
    try expectEqual(lost("links") { $0.links.count }, 0)
    try expectEqual(lost("textSet") { Array($0.textSet) }, [])
    try expectEqual(lost("doubleMap") { $0.doubleMap.keys }, [])
    try expectTrue(lost("linkMap") { $0.linkMap["next"] == nil })
  }

  @Test func theDamageIsThrownInPlaceOfWhatTheBodyThrows() throws {
    let damaged = try DamagedFiles(count: 3)
    let configuration = try damaged.copy(damaged.losing("int"))
    #expect(throws: Realm.Error.self) {
      try Realm.snapshot(of: configuration) { realm in
        _ = realm.objects(Fragile.self).first?.int
        throw OwnError()
      }
    }
    #expect(throws: OwnError.self) {
      try Realm.snapshot(of: configuration) { realm in
        _ = realm.objects(Fragile.self).first?.name
        throw OwnError()
      }
    }
  }

  @Test func theDamageBelongsToTheBodyThatReadsIt() throws {
    let damaged = try DamagedFiles(count: 3)
    let inner = try damaged.copy(damaged.losing("int"))
    let name = try Realm.snapshot(of: damaged.files.configuration) { outer in
      #expect(throws: Realm.Error.self) {
        try Realm.snapshot(of: inner) { realm in
          _ = realm.objects(Fragile.self).first?.int
        }
      }
      return outer.objects(Fragile.self).first?.name
    }
    expectEqual(name, "name 0")
  }

  /// `DamageRecord` 1.
  @Test func readsFromTasksThrowDamage() async throws {
    let damaged = try DamagedFiles(count: 3)
    let configuration = try damaged.copy(damaged.losing("int"))
    await #expect(throws: Realm.Error.self) {
      try await Realm.read(from: configuration) { realm in
        realm.objects(Fragile.self).first?.int
      }
    }
  }

  @Test func placeholdersAreNotWritten() throws {
    let damaged = try DamagedFiles(count: 3)
    let told = ToldDamage()
    var configuration = try damaged.copy(damaged.losing("int"))
    configuration.onDamage = { told.note($0) }
    let realm = try Realm(configuration: configuration)
    let object = try #require(realm.objects(Fragile.self).first)
    try realm.write { object.double = 5 }
    expectEqual(told.count, 0)
    let error = #expect(throws: Realm.Error.self) {
      try realm.write { object.double = Double(object.int) }
    }
    let text = try #require(error).localizedDescription
    expectTrue(text.contains("'Fragile.int' was read"), "\(text)")
    expectEqual(told.count, 1)
    expectEqual(object.double, 5)
    expectFalse(realm.isInWriteTransaction)
    // Nor what is derived from them later, also not by a frozen copy.
    _ = object.freeze().int
    #expect(throws: Realm.Error.self) { try realm.write { object.double = 6 } }
    #expect(throws: Realm.Error.self) {
      realm.beginWrite()
      object.double = 6
      try realm.commitWrite()
    }
    expectEqual(object.double, 5)
    expectEqual(told.count, 1)
  }
}
