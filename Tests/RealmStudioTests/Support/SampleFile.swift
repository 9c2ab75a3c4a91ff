// SPDX-License-Identifier: Apache-2.0

// The files that the tests show.

#if Tools
import RealmStorage
import RealmTables
import RealmTestSupport
import Testing

/// Makes database files with known contents.
enum SampleFile {
  static let names = ["Ada", "Bela", "Cleo", "Dora", "Emil", "Finn", "Gita", "Hugo"]
  private static let surnames = ["Abel", "Brandt", "Curie", "Dahl", "Euler", "Frost", "Gauss"]

  /// Runs a write transaction on a file, which is made if it is missing.
  static func write(_ path: String, _ body: (WriteGroup) throws -> Void) throws {
    let file = try DatabaseFile.open(path: path)
    let group = try WriteGroup(try file.beginWrite())
    do { try body(group) } catch {
      group.rollback()
      throw error
    }
    _ = try group.commit()
  }

  /// Persons with properties of all kinds, their embedded addresses, and dogs that link to them.
  static func makePeople(_ path: String, count: Int = 8) throws {
    try write(path) { group in
      let address = try group.createTable(named: "class_Address", kind: .embedded)
      try address.addColumn(named: "street", type: .string)
      try address.addColumn(named: "city", type: .string, isNullable: true)
      let person = try makePerson(group, address)
      let dog = try group.createTable(named: "class_Dog")
      try dog.addColumn(named: "name", type: .string)
      try dog.addColumn(named: "weight", type: .float)
      try dog.addColumn(named: "owner", type: .link, target: person.key)
      var keys: [ObjectKey] = []
      for index in 0..<count { keys.append(try addPerson(index, to: person, keys)) }
      for (index, name) in ["Rex", "Fido", "Luna"].enumerated() {
        let key = try dog.createObject().key
        try dog.set(.string(name), dog.named("name"), key)
        try dog.set(.float(Float(index) * 4.5 + 3), dog.named("weight"), key)
        if index < 2 { try dog.set(.link(keys[index]), dog.named("owner"), key) }
      }
    }
  }

  private static func makePerson(
    _ group: WriteGroup, _ address: WritableTable
  ) throws -> WritableTable {
    let person = try group.createTable(named: "class_Person")
    let id = try person.addColumn(named: "id", type: .int)
    try person.addColumn(named: "name", type: .string, isIndexed: true)
    try person.addColumn(named: "age", type: .int, isNullable: true)
    try person.addColumn(named: "height", type: .double)
    try person.addColumn(named: "born", type: .timestamp)
    try person.addColumn(named: "isMember", type: .bool)
    try person.addColumn(named: "balance", type: .decimal)
    try person.addColumn(named: "friend", type: .link, target: person.key)
    try person.addColumn(named: "friends", type: .link, collection: .list, target: person.key)
    try person.addColumn(named: "home", type: .link, target: address.key)
    try person.addColumn(named: "places", type: .link, collection: .list, target: address.key)
    try person.addColumn(named: "tags", type: .string, collection: .list)
    try person.addColumn(named: "marks", type: .int, collection: .set)
    try person.addColumn(named: "notes", type: .string, collection: .dictionary)
    try person.addColumn(named: "extra", type: .mixed)
    try person.addColumn(named: "photo", type: .binary, isNullable: true)
    try person.addColumn(named: "token", type: .uuid)
    try person.setPrimaryKey(id.key)
    return person
  }

  private static func addPerson(
    _ index: Int, to person: WritableTable, _ others: [ObjectKey]
  ) throws -> ObjectKey {
    let key = try person.createObject(primaryKey: .int(Int64(index + 1))).key
    func set(_ name: String, _ value: TableValue) throws {
      try person.set(value, person.named(name), key)
    }
    let (name, round) = (names[index % names.count], index / names.count)
    try set("name", .string(round == 0 ? name : "\(name) \(surnames[round % surnames.count])"))
    try set("age", index == 3 ? .null : .int(Int64(20 + index * 5 % 60)))
    let centimetres = 160 + index % 8 * 5 + round % 7 * (index % 3)
    try set("height", .double(Double(centimetres) / 100))
    try set(
      "born",
      .timestamp(Timestamp(seconds: 600_000_000 + Int64(index % 40) * 31_000_000, nanoseconds: 0)))
    try set("isMember", .bool(index % 2 == 0))
    try set("balance", .decimal(DecimalBits(integer: Int64(index * 10))))
    if let first = others.first { try set("friend", .link(first)) }
    try set("friends", .list(others.suffix(3).map { .link($0) }))
    try set("tags", .list(["red", "green", "blue"].prefix(index % 4).map { .string($0) }))
    try set("marks", .list((0..<(index % 3)).map { .int(Int64($0 + 1)) }))
    try set("notes", .dictionary(TableDictionary([.init(key: "diet", value: .string("none"))])))
    try set("extra", extra(index, others))
    try set("photo", index == 0 ? .binary([1, 2, 3]) : .null)
    let home = try person.createEmbedded(person.named("home"), of: key).key
    let address = try #require(try person.group.table(named: "class_Address"))
    try address.set(.string("\(index + 1) Elm Street"), address.named("street"), home)
    return key
  }

  private static func extra(_ index: Int, _ others: [ObjectKey]) -> TableValue {
    switch index % 4 {
    case 0: .string("a note")
    case 1: .int(42)
    case 2: .list([.int(1), .dictionary(TableDictionary([.init(key: "a", value: .bool(true))]))])
    default: .null
    }
  }

  /// Readings in a class of a table that is as long as a test wants.
  static func makeReadings(_ path: String, count: Int) throws {
    try write(path) { group in
      let table = try group.createTable(named: "class_Reading")
      try table.addColumn(named: "index", type: .int)
      try table.addColumn(named: "value", type: .double)
      try table.addColumn(named: "name", type: .string)
      try table.addColumn(named: "at", type: .timestamp)
      let columns = try ["index", "value", "name", "at"].map { try table.named($0) }
      var random = SeededGenerator(seed: 7)
      for index in 0..<count {
        let key = try table.createObject().key
        let number = Int64.random(in: 0..<1_000_000, using: &random)
        try table.set(.int(Int64(index)), columns[0], key)
        try table.set(.double(Double(number) / 1_000), columns[1], key)
        try table.set(.string("sensor \(number % 5_000)"), columns[2], key)
        let time = Timestamp(seconds: 1_700_000_000 + Int64(index), nanoseconds: 0)
        try table.set(.timestamp(time), columns[3], key)
      }
    }
  }
}

extension WritableTable {
  /// The column of that name, which the test has made.
  func named(_ name: String) throws -> Column { try #require(schema.column(named: name)) }
}
#endif
