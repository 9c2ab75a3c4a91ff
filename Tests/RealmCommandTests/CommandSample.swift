// SPDX-License-Identifier: Apache-2.0

// The file that the tests of commands begin with.

#if Tools
import RealmStorage
import RealmTables
import RealmTools

/// Three dogs.
enum CommandSample {
  /// The sub-commands.
  static let commands = [
    "info", "schema", "query", "check", "export", "import", "diff", "copy", "compact", "rewrite",
    "upgrade", "salvage", "generate", "watch", "shell", "studio",
    "manual",
  ]

  /// Makes the file.
  static func make(at path: String, key: EncryptionKey? = nil) throws {
    let writer = try RealmWriter(path: path, key: key, creates: true)
    _ = try writer.write { group in
      let dogs = try group.createTable(named: "class_Dog")
      let id = try dogs.addColumn(named: "id", type: .int)
      let name = try dogs.addColumn(named: "name", type: .string)
      let age = try dogs.addColumn(named: "age", type: .int, isNullable: true)
      try dogs.setPrimaryKey(id.key)
      for (number, text, years) in [(1, "Fido", 3), (2, "Rex", 7), (3, "Ünal", nil)]
        as [(Int64, String, Int64?)]
      {
        let dog = try dogs.createObject(primaryKey: number).key
        try dogs.set(.string(text), name, dog)
        try dogs.set(years.map { .int($0) } ?? .null, age, dog)
      }
    }
  }
}
#endif
