// SPDX-License-Identifier: Apache-2.0

// Realm files that strangers made: read, salvaged, and written to.

#if Tools && Server
import RealmFormats
import RealmQuery
import RealmSalvage
import RealmStorage
import RealmTables
import RealmTestSupport
import RealmTools

extension FuzzTarget {
  private static let fileByteCountMax = 12 << 10

  /// Opens a file, checks it, and reads all that it has.
  static let file = FuzzTarget(
    name: "file", byteCountMax: fileByteCountMax,
    run: { input, folder in
      let path = try folder.write(input, "input.realm")
      do throws(StorageError) {
        let snapshot = try open(path).snapshot()
        let findings = try DatabaseCheck.run(snapshot)
        do throws(StorageError) {
          try read(snapshot)
          return .read
        } catch {
          guard findings.isEmpty, case .corrupted = error else { return .refused }
        }
      } catch { return .refused }
      throw Finding("a read finds damage, and the check does not")
    }, seeds: fileSeeds)

  /// Opens a file for reading, one in an older format as a copy.
  private static func open(_ path: String) throws(StorageError) -> DatabaseFile {
    do throws(StorageError) { return try DatabaseFile.openForReading(path: path).file } catch {
      guard case .formatUpgradeRequired = error else { throw error }
      return try UpgradedCopy.open(path, key: nil)
    }
  }

  /// Reads a version by every way.
  private static func read(_ snapshot: Snapshot) throws(StorageError) {
    var failure: StorageError?
    func attempt(_ body: () throws(StorageError) -> Void) {
      do throws(StorageError) { try body() } catch { failure = failure ?? error }
    }
    let group = try TableGroup(snapshot)
    attempt { () throws(StorageError) in _ = try ContentDump(group).json() }
    attempt { () throws(StorageError) in
      let classes = try StoredSchema(group)
      for schema in classes.inFileOrder { try read(schema, classes) }
    }
    attempt { () throws(StorageError) in
      _ = try ChangeLogParser.changes(in: snapshot.file.knownChangesets(through: snapshot))
    }
    attempt { () throws(StorageError) in
      guard let history = try snapshot.syncHistory(), let versions = history.versions else {
        return
      }
      for version in versions.prefix(64) { _ = try history.entry(at: version) }
    }
    if let failure { throw failure }
  }

  /// Reads the objects of a class as the tools and queries do.
  private static func read(
    _ schema: TableSchema, _ classes: StoredSchema
  ) throws(StorageError) {
    guard let table = try classes.reader.readTable(schema.key) else { return }
    let json = ObjectJSON(classes)
    var cursor = table.clusterCursor()
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count {
        let key = cluster.key(at: index)
        _ = try json.members(of: cluster.row(at: index), schema)
        _ = try table.position(of: key)
        for column in schema.columns where column.hasIndex && column.collection == .none {
          guard !column.isFullText else { continue }
          let value = try cluster.row(at: index).mixedValue(of: column)
          _ = try table.index(of: column)?.findAll(value)
        }
      }
    }
    for column in schema.columns where column.collection == .none {
      let query = TableQuery(schema.key, order: SortOrder([.init([column.name])]))
      do throws(QueryError) {
        _ = try query.keys(of: table, in: classes.reader)
      } catch { if case .storage(let cause) = error { throw cause } }
    }
  }

  /// Saves what can be read, in a file that has to be whole.
  static let salvage = FuzzTarget(
    name: "salvage", byteCountMax: fileByteCountMax,
    run: { input, folder in
      let path = try folder.write(input, "input.realm")
      let target = folder.file("saved.realm")
      defer { folder.remove("saved.realm", "saved.realm.lock") }
      do {
        _ = try Salvage.write(path, key: nil, to: target)
      } catch is StorageError {
        return .refused
      } catch is SalvageFailure {
        return .refused
      }
      let file = try DatabaseFile.openForReading(path: target).file
      // A value in another form than writers give it is saved as it is, and worth a warning.
      let findings = try DatabaseCheck.run(file.snapshot()).filter { $0.severity == .error }
      guard findings.isEmpty else { throw Finding("the saved file is damaged: \(findings[0])") }
      return .read
    }, seeds: fileSeeds)

  /// Writes to a file as an app does that opens it.
  static let edit = FuzzTarget(
    name: "edit", byteCountMax: fileByteCountMax,
    run: { input, folder in
      let path = try folder.write(input, "input.realm")
      defer { folder.remove("input.realm.lock") }
      do throws(StorageError) {
        let file = try openForWriting(path)
        let group = try WriteGroup(try file.beginWrite())
        do throws(StorageError) {
          try edit(group)
          _ = try group.commit()
        } catch {
          group.rollback()
          throw error
        }
        return .read
      } catch { return .refused }
    }, seeds: fileSeeds)

  /// Opens a file for writing, whether it is synchronised or not.
  private static func openForWriting(_ path: String) throws(StorageError) -> DatabaseFile {
    var options = OpenOptions()
    options.slabByteCount = 1 << 28
    do throws(StorageError) { return try DatabaseFile.open(path: path, options: options) } catch {
      guard case .incompatibleHistory = error else { throw error }
      options.history = .syncClient
      return try DatabaseFile.open(path: path, options: options)
    }
  }

  /// Changes, adds and deletes objects of each table.
  private static func edit(_ group: WriteGroup) throws(StorageError) {
    var random = SeededGenerator(seed: 3)
    for key in try group.tableKeys() {
      guard let table = try group.table(key) else { continue }
      let keys = try firstKeys(of: table.table)
      for (number, object) in keys.enumerated() {
        for column in table.schema.columns where !column.isPrimaryKey && column.type != .link {
          guard column.collection == .none else { continue }
          try table.set(random.value(column.type, isNullable: false), column, object)
        }
        if number % 2 == 1 { try table.delete(object) }
      }
      if table.schema.primaryKey == nil, table.schema.kind == .topLevel {
        _ = try table.createObject()
      }
    }
  }

  private static func firstKeys(of table: Table) throws(StorageError) -> [ObjectKey] {
    var cursor = table.clusterCursor()
    var keys: [ObjectKey] = []
    while keys.count < 8, let cluster = try cursor.next() {
      for index in 0..<min(cluster.count, 8) { keys.append(cluster.key(at: index)) }
    }
    return keys
  }

  /// Small files of ours: with few kinds of properties, new or compacted; and with inner nodes.
  private static func fileSeeds(_ folder: TemporaryDirectory) throws -> [[UInt8]] {
    let name = "wide.realm"
    do { try SampleFile.makeWide(folder.file(name)) }
    defer { folder.remove(name, name + ".lock") }
    let wide = try folder.bytes(name)
    return try [wide]
      + (1...8 as ClosedRange<UInt64>).map { seed in
        let name = "seed-\(seed).realm"
        let history: HistoryKind = seed < 7 ? .inFile : .syncClient
        do {
          _ = try SampleFile(
            isLarge: false, path: folder.file(name), history: history, seed: seed)
        }
        if seed % 2 == 0 || seed == 7 { _ = try DatabaseFile.compact(path: folder.file(name)) }
        if seed == 6 { _ = try OlderFile.edit(folder.file(name), format: 23) }
        defer { folder.remove(name, name + ".lock") }
        return try folder.bytes(name)
      }
  }
}
#endif
