// SPDX-License-Identifier: Apache-2.0

// What is saved of cut files that one transaction wrote: leaves without their clusters.

#if Tools
import Foundation
import RealmStorage
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSalvage
@testable import RealmTools

struct LooseLeavesTests {
  /// How the file came to be.
  enum Origin: CaseIterable {
    /// One transaction made the class and all objects.
    case oneTransaction
    /// The class was there when the objects came.
    case knownClass
    /// The same, and the objects have primary keys, which scatter them.
    case primaryKey
  }

  private static let rowCount = RandomRuns.areLong ? 50_000 : 4_000
  private static let prefix = Array("Name ".utf8)
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func bytes(_ origin: Origin) throws -> Data {
    let path = directory.file("rows.realm")
    let writer = try RealmWriter(path: path, creates: true)
    func makeClass(_ group: WriteGroup) throws {
      let items = try group.createTable(named: "class_Item")
      let id = try items.addColumn(named: "id", type: .int)
      try items.addColumn(named: "name", type: .string)
      try items.addColumn(named: "price", type: .double)
      try items.addColumn(named: "note", type: .string, isNullable: true)
      if origin == .primaryKey { try items.setPrimaryKey(id.key) }
    }
    func makeObjects(_ group: WriteGroup) throws {
      let items = try #require(try group.table(named: "class_Item"))
      let columns = try items.table.schema.columns
      let places = ["id", "name", "price", "note"].map { name in
        columns.first { $0.name == name }
      }
      let (id, name) = (try #require(places[0]), try #require(places[1]))
      let (price, note) = (try #require(places[2]), try #require(places[3]))
      for number in 0..<Self.rowCount {
        let key: ObjectKey
        if origin == .primaryKey {
          key = try items.createObject(primaryKey: .int(Int64(number))).key
        } else {
          key = try items.createObject().key
          try items.set(.int(Int64(number)), id, key)
        }
        try items.set(.string("Name \(100_000 + number)"), name, key)
        try items.set(.double(Double(number) / 8), price, key)
        if number % 3 == 0 {
          try items.set(.string(String(repeating: "note ", count: 4)), note, key)
        }
      }
    }
    if origin == .oneTransaction {
      _ = try writer.write {
        try makeClass($0)
        try makeObjects($0)
        return true
      }
    } else {
      _ = try writer.write {
        try makeClass($0)
        return true
      }
      _ = try writer.write {
        try makeObjects($0)
        return true
      }
    }
    return try Data(contentsOf: URL(fileURLWithPath: path))
  }

  /// The numbers of the names among the bytes of a file.
  private func names(in bytes: [UInt8]) -> Set<Int> {
    var found: Set<Int> = []
    var index = 0
    while index + 11 <= bytes.count {
      if bytes[index] == Self.prefix[0], Array(bytes[index..<index + 5]) == Self.prefix,
        let number = Int(String(decoding: bytes[index + 5..<index + 11], as: UTF8.self))
      {
        found.insert(number)
      }
      index += 1
    }
    return found
  }

  /// The numbers of the names in the text properties of a realm.
  private func names(savedIn path: String) throws -> (numbers: Set<Int>, classes: [String]) {
    let reader = try RealmReader(path: path)
    var numbers: Set<Int> = []
    var classes: [String] = []
    for schema in try reader.group.classSchemas() {
      let table = try #require(try reader.group.table(named: "class_" + schema.displayName))
      classes.append(schema.displayName)
      var cursor = table.clusterCursor()
      while let cluster = try cursor.next() {
        for index in 0..<cluster.count {
          for column in table.schema.columns where column.type == .string {
            if case .string(let text) = try cluster.row(at: index).value(of: column),
              text.hasPrefix("Name "), let number = Int(text.dropFirst(5))
            {
              numbers.insert(number)
            }
          }
        }
      }
    }
    return (numbers, classes)
  }

  /// All names of whole leaves are found; the cut itself goes through one leaf at most.
  private static let cutLeafCount = 256

  /// `LooseLeaves` 1 and 2, `Salvage` 4.
  @Test(.heavy, arguments: Origin.allCases)
  func theNamesInACutFileAreFound(_ origin: Origin) throws {
    let whole = try bytes(origin)
    for percent in [100, 80, 60, 50, 30] {
      let cut = whole.prefix(whole.count * percent / 100)
      let present = names(in: Array(cut))
      let path = directory.file("\(percent).realm")
      try cut.write(to: URL(fileURLWithPath: path))
      let target = directory.file("\(percent).saved.realm")
      let report = try Salvage.run(path, key: nil, to: target)
      let (found, classes) = try names(savedIn: target)
      let least = percent == 100 ? Self.rowCount : present.count - Self.cutLeafCount
      expectTrue(present.count > Self.rowCount / 10, "\(percent) %")
      expectTrue(
        found.count >= least, "\(percent) %: \(found.count) of \(present.count), \(report)")
      expectTrue(found.isSubset(of: present), "\(percent) %")
      if origin == .knownClass { expectTrue(classes.contains("Item"), "\(percent) %: \(classes)") }
      #expect(try !IntegrityReport(path: target).isDamaged)
    }
  }
}
#endif
