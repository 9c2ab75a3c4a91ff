// SPDX-License-Identifier: Apache-2.0

// Files of older formats that hold what no sample has: much of everything that an upgrade changes.

import RealmFormats
import RealmStorage
import RealmTestSupport
import Testing

@testable import RealmTables

/// The bytes of a file in an older format, and what they hold.
struct AgedFile {
  let bytes: [UInt8]
  /// The tables after the upgrade.
  let contents: JSONValue

  /// - Parameter objects: how many objects have collections; their sizes follow from their numbers.
  init(format: Int, objects: Int) throws {
    let system = try SimulatedFileSystem()
    var contents: JSONValue
    do {
      let file = try system.openDatabase()
      let group = try WriteGroup(file.beginWrite())
      try Self.fill(group, objects)
      contents = try ContentDump(TableGroup(group.commit())).json()
      do {
        let logging = try WriteGroup(file.beginWrite())
        try Self.log(logging)
        let snapshot = try logging.commit()
        // Format 22 alone kept such objects to no use.
        if format != 22 { contents = try ContentDump(TableGroup(snapshot)).json() }
      }
      let aging = try WriteGroup(file.beginWrite())
      var forms = OlderForms(aging)
      for key in try aging.tableKeys() {
        let table = try aging.requiredTable(key)
        try forms.shuffleSets(table, isMingled: format < 23)
        try forms.shortenMixedLeaves(table)
        if format < 23 { try forms.hashDictionaries(table) }
        if format < 22, let column = table.schema.primaryKey { try table.indexes.drop(column) }
      }
      try forms.commit(oldLinkLists: true)
    }
    var bytes = try system.file.contents()
    bytes[bytes[23] & 1 == 0 ? 20 : 21] = UInt8(format)
    self.bytes = bytes
    self.contents = contents
  }

  private static func fill(_ group: WriteGroup, _ objects: Int) throws {
    let target = try group.createTable(named: "class_Target")
    let name = try target.addColumn(named: "name", type: .string)
    try target.setPrimaryKey(name.key)
    let origin = try group.createTable(named: "class_Origin")
    let id = try origin.addColumn(named: "id", type: .int)
    try origin.setPrimaryKey(id.key)
    let string = try origin.addColumn(
      named: "strings", type: .string, collection: .set, isNullable: true)
    let binary = try origin.addColumn(named: "binaries", type: .binary, collection: .set)
    let mixed = try origin.addColumn(named: "mixed", type: .mixed, collection: .set)
    let texts = try origin.addColumn(
      named: "texts", type: .string, collection: .dictionary, isNullable: true)
    let values = try origin.addColumn(named: "values", type: .mixed, collection: .dictionary)
    let named = try origin.addColumn(
      named: "named", type: .link, collection: .dictionary, target: target.key)
    let links = try origin.addColumn(
      named: "links", type: .link, collection: .list, target: target.key)
    try origin.addColumn(named: "code", type: .string, isIndexed: true)
    let log = try group.createTable(named: "class_Log", kind: .asymmetric)
    try log.setPrimaryKey(try log.addColumn(named: "id", type: .int).key)
    try log.addColumn(named: "details", type: .mixed, collection: .dictionary)

    var random = SeededGenerator(seed: UInt64(objects))
    for number in 0..<20 {
      _ = try target.createObject(primaryKey: .string("target \(number)"))
    }
    let targets = try (0..<20).map { try #require(try target.table.key(at: $0)) }
    for number in 0..<objects {
      let key = try origin.createObject(primaryKey: .int(Int64(number) * 7 - 100)).key
      guard number % 3 != 0 else { continue }
      // Some have leaves of several kinds, some trees of several nodes.
      let size = number == 1 ? 1100 : number == 2 ? 300 : number % 8
      for _ in 0..<size {
        try origin.set(string, key).insert(random.value(.string, isNullable: true))
        try origin.set(binary, key).insert(.binary(Array(random.string().utf8)))
      }
      for _ in 0..<(number == 1 ? 20 : size) {
        try origin.set(mixed, key).insert(random.value(.mixed, isNullable: true))
        try origin.set(mixed, key).insert(.string(random.string()))
        try origin.set(mixed, key).insert(.binary(Array(random.string().utf8)))
        try origin.dictionary(texts, key).set(
          random.value(.string, isNullable: true), for: random.string())
        try origin.dictionary(values, key).set(
          random.value(.mixed, isNullable: true), for: random.string())
      }
      for entry in 0..<size % 9 {
        let link = try #require(targets.randomElement(using: &random))
        try origin.dictionary(named, key).set(entry == 3 ? .null : .link(link), for: "n\(entry)")
        try origin.list(links, key).insert(.link(link), at: 0)
        try origin.dictionary(values, key).set(.typedLink(target.key, link), for: "l\(entry)")
      }
    }
    // Backlinks from a mixed column have their column once a link was stored.
    try Self.log(group)
    try log.deleteAll()
  }

  private static func log(_ group: WriteGroup) throws {
    let log = try #require(try group.table(named: "class_Log"))
    let target = try #require(try group.table(named: "class_Target"))
    let details = try #require(log.schema.column(named: "details"))
    let link = try #require(try target.table.key(at: 3))
    for number in 0..<5 as Range<Int64> {
      let key = try log.createObject(primaryKey: .int(number)).key
      try log.dictionary(details, key).set(.string("opened"), for: "event")
      try log.dictionary(details, key).set(.typedLink(target.key, link), for: "what")
    }
  }
}
