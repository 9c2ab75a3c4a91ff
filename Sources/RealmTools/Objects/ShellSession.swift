// SPDX-License-Identifier: Apache-2.0

// The effects of statements: `realm shell`.
//
// 1. The file is only read until the first writing statement. Outside of a transaction each such
//    statement is one of its own.
// 2. A statement that fails or is stopped changes nothing; in a transaction it is undone alone, and
//    the transaction goes on as it was before.

#if Tools
import RealmDeclarations
import RealmFormats
import RealmQuery
package import RealmStorage
import RealmTables

/// A file and its open transaction.
package final class ShellSession {
  /// The result of a statement.
  package enum Outcome {
    /// To be read before the next statement.
    case rows(ShellRows)
    case message(String)
    case nothing
    case quit
  }

  private let path: String
  private let key: EncryptionKey?
  private let waiting: RealmWriter.Waiting
  private let stop: StatementStop
  private var writer: RealmWriter?
  private var open: WriteGroup?
  /// The reader of a file in an older format, which was copied to be read.
  private var reader: RealmReader?

  /// - Parameter stop: Stops the statement that runs.
  package init(
    path: String, key: EncryptionKey?, waiting: RealmWriter.Waiting = RealmWriter.Waiting(),
    stop: StatementStop = StatementStop()
  ) throws {
    var waiting = waiting
    waiting.stop = stop
    self.waiting = waiting
    self.stop = stop
    self.path = path
    self.key = key
    _ = try readable()
  }

  /// The newest version of the file.
  private func readable() throws -> RealmReader {
    if let reader, reader.isUnchanged { return reader }
    let new = try RealmReader(path: path, key: key)
    reader = new.isUpgraded ? new : nil
    return new
  }

  deinit { open?.rollback() }

  package var isInTransaction: Bool { open != nil }

  package static let help = """
    Dog WHERE age > 3 SORT(age DESC) LIMIT(20)    prints objects
    INSERT Dog {"name": "Rex", "age": 3}          makes an object
    UPDATE Dog SET {"age": 4} WHERE name == 'Rex'
    DELETE Dog WHERE age > 20
    BEGIN, COMMIT, ROLLBACK                       a transaction of several statements
    .classes                                      the classes and their objects
    .schema [Class]                               the classes as Swift code
    .explain Dog WHERE age > 3                    how objects are found
    .quit

    The parts of a query apply in their order: OFFSET(20) LIMIT(10). Names with spaces stand in
    `backticks`. Control-C ends a statement.
    """

  /// Runs a line.
  package func run(_ line: String) throws -> Outcome {
    stop.reset()
    return try outcome(line)
  }

  private func outcome(_ line: String) throws -> Outcome {
    let statement = try ShellStatement(line)
    switch statement {
    case .nothing: return .nothing
    case .quit: return .quit
    case .help: return .message(Self.help)
    case .begin:
      guard open == nil else { throw ToolFailure.usage("A transaction is open already.") }
      open = try requiredWriter().begin()
      return .message("begun")
    case .commit:
      guard let group = open else { throw ToolFailure.usage("No transaction is open.") }
      open = nil
      _ = try group.commit()
      return .message("committed")
    case .rollback:
      guard let group = open else { throw ToolFailure.usage("No transaction is open.") }
      open = nil
      group.rollback()
      return .message("undone")
    case .insert(let name, let members): return try write { try insert(name, members, $0) }
    case .update(let query, let members): return try write { try update(query, members, $0) }
    case .delete(let query): return try write { try delete(query, $0) }
    case .query(let query): return try rows(query)
    case .classes: return try read(counts)
    case .schema(let name): return try read { try schema(name, $0) }
    case .explain(let query):
      return try read { source in
        let run = try QueryRun(query, in: StoredSchema(source))
        return .message(try run.explanation().joined(separator: "\n"))
      }
    }
  }

  // MARK: Reading

  private func read(_ body: (any TableReader) throws -> Outcome) throws -> Outcome {
    if let open { return try body(open) }
    if let writer { return try body(try writer.group()) }
    return try readable().reading(body)
  }

  private func rows(_ query: String) throws -> Outcome {
    let reader = open == nil && writer == nil ? try readable() : nil
    return try read { source in
      let classes = try StoredSchema(source)
      let run = try QueryRun(query, in: classes)
      let output = try QueryOutput(run.schema, in: classes)
      let keys = try run.keys()
      return .rows(
        ShellRows(
          header: output.header, count: keys.count, stop: stop,
          finish: { try reader?.requireUnchanged() }, row: { try output.row(of: keys[$0]) }))
    }
  }

  private func counts(_ source: any TableReader) throws -> Outcome {
    let rows = try StoredSchema(source).all.map { schema in
      [schema.displayName, "\(try source.readTable(schema.key)?.objectCount() ?? 0)"]
    }
    return .rows(
      ShellRows(header: ["Class", "Objects"], count: rows.count, stop: stop, row: { rows[$0] }))
  }

  private func schema(_ name: String?, _ source: any TableReader) throws -> Outcome {
    let classes = try StoredSchema(source)
    guard let name else { return .message(SwiftSchema(classes).text) }
    let found = try classes.require(name).displayName
    return .message(SwiftSchema(classes).text(ofClass: found) ?? "")
  }

  /// The possible words at the end of a line.
  package func completions(of line: String) -> [String] {
    guard let classes = try? classes() else { return [] }
    return ShellCompletion(classes).candidates(for: line)
  }

  private func classes() throws -> StoredSchema {
    if let open { return try StoredSchema(open) }
    if let writer { return try StoredSchema(try writer.group()) }
    return try StoredSchema(try readable().group)
  }

  // MARK: Writing

  private func requiredWriter() throws -> RealmWriter {
    if let writer { return writer }
    let new = try RealmWriter(path: path, key: key, creates: false, waiting: waiting)
    writer = new
    return new
  }

  private func write(_ body: (WriteGroup) throws -> Outcome) throws -> Outcome {
    let isOwn = open == nil
    let group = try open ?? requiredWriter().begin()
    do {
      guard isOwn else { return try group.orUndo { try body(group) } }
      let outcome = try body(group)
      _ = try group.commit()
      return outcome
    } catch {
      if isOwn { group.rollback() }
      if error is StatementStop.Stopped { throw error }
      guard let problem = error as? ValueInput.Problem else { throw ToolFailure(error) }
      throw ToolFailure.usage("This cannot be stored: \(problem.reason).")
    }
  }

  private func insert(
    _ name: String, _ members: [JSONMember], _ group: WriteGroup
  ) throws -> Outcome {
    let classes = try StoredSchema(group)
    let schema = try classes.require(name)
    guard schema.kind == .topLevel else {
      throw ToolFailure.usage("Objects of '\(name)' come with those that own them.")
    }
    let input = ValueInput(group: group, classes: classes)
    let table = try input.required(schema.key)
    let key: ObjectKey
    if let column = schema.primaryKey {
      guard let json = members.last(where: { $0.key == column.name })?.value else {
        throw ToolFailure.usage("The primary key '\(column.name)' is missing.")
      }
      let value = try naming(column, schema) { try input.value(json, column, isText: false) }
      guard try table.findRow(primaryKey: value) == nil else {
        throw ToolFailure.usage(
          "There is a '\(name)' with \(column.name) \(JSONWriter.text(json)) already.")
      }
      key = try table.createObject(primaryKey: value).key
    } else {
      key = try table.createObject().key
    }
    try set(members.filter { $0.key != schema.primaryKey?.name }, schema, key, input)
    return .message("inserted #\(key.rawValue)")
  }

  private func update(
    _ query: String, _ members: [JSONMember], _ group: WriteGroup
  ) throws -> Outcome {
    let classes = try StoredSchema(group)
    let run = try QueryRun(query, in: classes)
    if let column = run.schema.primaryKey, members.contains(where: { $0.key == column.name }) {
      throw ToolFailure.usage("The primary key '\(column.name)' of an object cannot be changed.")
    }
    let input = ValueInput(group: group, classes: classes)
    let keys = try run.keys()
    try stop.check()
    for key in keys {
      try stop.check()
      try set(members, run.schema, key, input)
    }
    return .message("\(keys.count) changed")
  }

  private func set(
    _ members: [JSONMember], _ schema: TableSchema, _ key: ObjectKey, _ input: ValueInput
  ) throws {
    for member in members {
      let column = try schema.require(member.key)
      try naming(column, schema) {
        try input.store(member.value, column, schema, key, isText: false)
      }
    }
  }

  /// The result of `body`, whose problems are about the value of a property.
  private func naming<R>(
    _ column: Column, _ schema: TableSchema, _ body: () throws -> R
  ) throws -> R {
    do { return try body() } catch let problem as ValueInput.Problem {
      throw ValueInput.Problem("\(column.name) of '\(schema.displayName)': \(problem.reason)")
    }
  }

  private func delete(_ query: String, _ group: WriteGroup) throws -> Outcome {
    let run = try QueryRun(query, in: StoredSchema(group))
    guard let table = try group.table(run.schema.key) else { return .message("0 deleted") }
    let keys = try run.keys()
    try stop.check()
    // The deletion of one may delete others: embedded objects go with their owners.
    for key in keys where try table.row(of: key) != nil {
      try stop.check()
      try table.delete(key)
    }
    return .message("\(keys.count) deleted")
  }
}
#endif
