// SPDX-License-Identifier: Apache-2.0

// What devices may declare in development and in production mode (P4 D).

import RealmDeclarations
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import TestExtensions
import Testing

@testable import RealmServerEngine

struct SchemaKeeperTests {
  private typealias Text = ChangesetText

  /// The schemas that were stored, and whether the disk takes one.
  private struct Disk {
    let stored = Locked<[AppSchema]>([])
    let isFull = Locked(false)

    func keeper(_ schema: AppSchema = AppSchema(), isFixed: Bool) -> SchemaKeeper {
      let (stored, isFull) = (stored, isFull)
      return SchemaKeeper(schema, isFixed: isFixed) { schema in
        if isFull.withLock({ $0 }) {
          return .failure(.system(operation: "Writing", path: "/schema.json", code: 28))
        }
        stored.withLock { $0.append(schema) }
        return .success(nil)
      }
    }
  }

  /// A property of `Thing`, or of another class that is declared with it.
  private static func property(
    _ name: String, _ type: PayloadType = .int, isNullable: Bool = false, of owner: String = "Thing"
  ) -> [UInt8] {
    var encoder = ChangesetEncoder()
    let table = encoder.intern(owner)
    if owner != "Thing" {
      encoder.append(.addTable(.init(table: table, kind: .embedded, key: nil)))
    }
    encoder.append(
      .addColumn(
        .init(
          table: table, field: encoder.intern(name), type: type, isNullable: isNullable,
          collection: .single)))
    return encoder.bytes
  }

  private static func grown() throws -> AppSchema {
    let changeset = try ChangesetParser.parse(Text.schema(), origin: ChangesetOrigin(version: 1))
    var schema = AppSchema()
    for declaration in SchemaDeclaration.all(in: changeset) { schema.add(declaration) }
    return schema
  }

  private static func message(_ outcome: UploadOutcome) -> String {
    if case .refused(let refusal) = outcome { refusal.document.message } else { "" }
  }

  /// `SchemaKeeper` 1
  @Test func inDevelopmentModeTheAdditionsOfTwoDevicesMeet() async throws {
    let disk = Disk()
    let keeper = disk.keeper(isFixed: false)
    let server = try await TestServer(schema: keeper)
    let first = try await server.realm.allocateFile(for: "a")
    let second = try await server.realm.allocateFile(for: "b")
    let outcomes = await server.realm.integrate(group: [
      Upload(first, [Text.schema(), Self.property("a")], from: 1),
      Upload(second, [Text.schema(), Self.property("b", .string)], from: 1),
    ])
    expectEqual(outcomes.map(\.code), [nil, nil])
    let names = ["id", "count", "list", "a", "b"]
    expectEqual(keeper.schema.declared["Thing"]?.properties.map(\.name), names)
    // A write for each upload that adds something, as each is refused alone; none for what is
    // known.
    expectEqual(disk.stored.withLock { $0.count }, 2)
    expectTrue(disk.stored.withLock { $0.last } == keeper.schema)
    await expectEqual(
      server.realm.integrate(Upload(first, [Self.property("a")], from: 3, base: 4)).code,
      nil)
    expectEqual(disk.stored.withLock { $0.count }, 2)
  }

  /// `SchemaKeeper` 1: the schema first.
  /// `SchemaKeeper` 3
  @Test func theAdditionsOfAnotherServerCountFirst() throws {
    func declarations(_ bytes: [UInt8]) throws -> [SchemaDeclaration] {
      SchemaDeclaration.all(
        in: try ChangesetParser.parse(bytes, origin: ChangesetOrigin(version: 1)))
    }
    func schema(_ declarations: [SchemaDeclaration]) -> AppSchema {
      var schema = AppSchema()
      for declaration in declarations { schema.add(declaration) }
      return schema
    }
    let base = try declarations(Text.schema())
    let ours = try declarations(Self.property("ours"))
    let theirs = try declarations(Self.property("theirs"))
    // Another server is faster once, with a property of its own.
    let newer = Locked<AppSchema?>(schema(base + theirs))
    let stored = Locked<[AppSchema]>([])
    let keeper = SchemaKeeper(schema(base), isFixed: false) { schema in
      if let first = newer.withLock({ $0.take() }) { return .success(first) }
      stored.withLock { $0.append(schema) }
      return .success(nil)
    }
    #expect(try keeper.add(ours) == nil)
    expectEqual(keeper.schema, schema(base + theirs + ours))
    expectEqual(stored.withLock { $0 }, [schema(base + theirs + ours)])
    // And once with another definition of the same property.
    let otherOurs = try declarations(Self.property("more", .string))
    newer.withLock { $0 = schema(base + theirs + ours + otherOurs) }
    let refused = try keeper.add(declarations(Self.property("more", .int)))
    expectEqual(refused?.document.message, "Another definition of Thing.more exists")
    expectEqual(stored.withLock { $0.count }, 1)
  }

  @Test func aSchemaThatCannotBeStoredKeepsTheUploadOut() async throws {
    let disk = Disk()
    let server = try await TestServer(schema: disk.keeper(isFixed: false))
    let file = try await server.realm.allocateFile(for: "a")
    disk.isFull.withLock { $0 = true }
    let outcome = await server.realm.integrate(Upload(file, [Text.schema()], from: 1))
    guard case .failed(let error) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    expectTrue(error.isDiskFull)
    #expect(try await server.entries().isEmpty)
    disk.isFull.withLock { $0 = false }
    await expectEqual(server.realm.integrate(Upload(file, [Text.schema()], from: 1)).code, nil)
  }

  /// What is refused otherwise leaves nothing in the schema.
  @Test func aBadUploadAddsNothing() async throws {
    let keeper = Disk().keeper(isFixed: false)
    let server = try await TestServer(schema: keeper)
    let file = try await server.realm.allocateFile(for: "a")
    let upload = Upload(file, [Text.schema(), Text.set("missing", count: 1)], from: 1)
    await expectEqual(server.realm.integrate(upload).code, .badChangeset)
    expectTrue(keeper.schema.isEmpty)
  }

  /// `SchemaKeeper` 2
  @Test func inProductionModeWhatIsNewIsRefused() async throws {
    let disk = Disk()
    let server = try await TestServer(schema: disk.keeper(try Self.grown(), isFixed: true))
    let file = try await server.realm.allocateFile(for: "a")
    // Identical definitions pass, into a realm that is new, too, and again.
    for version in [1, 2] as [UInt64] {
      await expectEqual(
        server.realm.integrate(Upload(file, [Text.schema()], from: version)).code, nil)
    }
    await expectEqual(
      server.realm.integrate(Upload(file, [Text.create("x")], from: 3, base: 1)).code, nil)
    for (changeset, name) in [
      (Self.property("a"), "Thing.a"), (Self.property("a", of: "Other"), "Other"),
    ] {
      let outcome = await server.realm.integrate(
        Upload(file, [changeset, Text.create("y")], from: 4, base: 1))
      expectEqual(outcome.code, .invalidSchemaChange)
      expectEqual(
        Self.message(outcome),
        "The app's schema has no \(name), and devices add nothing to it in production mode")
    }
    try await expectEqual(server.entries().count, 3)
    #expect(disk.stored.withLock { $0.isEmpty })
  }

  /// Realms of an app share its classes: another realm's definition counts in an empty one.
  @Test func inBothModesAnotherDefinitionIsRefused() async throws {
    for isFixed in [false, true] {
      let keeper = Disk().keeper(try Self.grown(), isFixed: isFixed)
      let server = try await TestServer(schema: keeper)
      let file = try await server.realm.allocateFile(for: "a")
      var encoder = ChangesetEncoder()
      let (thing, id) = (encoder.intern("Thing"), encoder.intern("id"))
      encoder.append(
        .addTable(
          .init(
            table: thing, kind: .topLevel, key: .init(field: id, type: .int, isNullable: false))))
      let outcome = await server.realm.integrate(Upload(file, [encoder.bytes], from: 1))
      expectEqual(outcome.code, .invalidSchemaChange)
      expectEqual(Self.message(outcome), "Another definition of Thing exists")
      await expectEqual(server.realm.integrate(Upload(file, [Text.schema()], from: 1)).code, nil)
      // The realm has the property, so that no declaration of it is new.
      let optional = Upload(
        file, [Self.property("count", isNullable: true)], from: 2, base: 1)
      expectEqual(
        Self.message(await server.realm.integrate(optional)),
        "Another definition of Thing.count exists")
    }
  }

  /// A client declares its classes once: a reader that becomes a writer does not do so again.
  @Test func whatAReaderDeclaresIsThereWhenItMayWrite() async throws {
    let server = try await TestServer(schema: Disk().keeper(try Self.grown(), isFixed: true))
    let file = try await server.realm.allocateFile(for: "a")
    var read = Upload(
      file, [Text.schema(), Self.property("a"), Self.property("a", of: "Other")], from: 1)
    read.right = .compensated
    await expectEqual(server.realm.integrate(read).code, nil)
    let objects = try await server.snapshot().objects
    #expect(try objects.table(named: "class_Other") == nil)
    let thing = try #require(try objects.table(named: "class_Thing"))
    expectEqual(thing.schema.columns.map(\.name), ["id", "count", "list"])
    await expectEqual(
      server.realm.integrate(Upload(file, [Text.create("x", count: 1)], from: 4)).code, nil)
  }

  /// What a reader declared before the operator added it, and then uses, comes from the schema.
  @Test func whatAReaderDeclaredTooEarlyIsTakenFromTheSchema() async throws {
    let keeper = Disk().keeper(isFixed: true)
    let server = try await TestServer(schema: keeper)
    let file = try await server.realm.allocateFile(for: "a")
    let other = try await server.realm.allocateFile(for: "b")
    var read = Upload(file, [Text.schema(), Self.property("a")], from: 1)
    read.right = .compensated
    await expectEqual(server.realm.integrate(read).code, nil)
    #expect(try await server.snapshot().objects.table(named: "class_Thing") == nil)
    // Without the operator it is a bad upload still.
    let write = Upload(file, [Text.create("x", count: 1), Text.set("x", count: 2)], from: 3)
    await expectEqual(server.realm.integrate(write).code, .badChangeset)
    _ = keeper.apply(try Self.grown(), isFixed: true)
    let outcomes = await server.realm.integrate(group: [
      write, Upload(other, [Text.create("y", count: 3)], from: 1),
    ])
    expectEqual(outcomes.map(\.code), [nil, nil])
    let thing = try #require(try await server.snapshot().objects.table(named: "class_Thing"))
    expectEqual(thing.schema.columns.map(\.name), ["id", "count", "list"])
    try expectEqual(thing.objectCount(), 2)
    // Others get the declarations with the change.
    let entries = try await server.entries().filter { $0.file == file.ident }
    let declared = try entries.flatMap { (entry) in
      SchemaDeclaration.all(in: try ChangesetParser.parse(entry.changeset)).map(\.name)
    }
    expectEqual(declared, ["Thing", "Thing.count", "Thing.list"])
    await expectEqual(
      server.realm.integrate(Upload(file, [Text.set("missing", count: 1)], from: 5)).code,
      .badChangeset)
  }

  /// P4 D, for readers too: one that was dropped in silence would be missing when a property of the
  /// class, which the schema has, is declared in a later upload.
  @Test func anotherDefinitionOfAReaderIsRefused() async throws {
    let server = try await TestServer(schema: Disk().keeper(try Self.grown(), isFixed: true))
    let file = try await server.realm.allocateFile(for: "a")
    var encoder = ChangesetEncoder()
    let (thing, id) = (encoder.intern("Thing"), encoder.intern("id"))
    encoder.append(
      .addTable(
        .init(
          table: thing, kind: .topLevel, key: .init(field: id, type: .int, isNullable: false))))
    for (changesets, name) in [
      ([encoder.bytes], "Thing"), ([encoder.bytes, Self.property("count")], "Thing"),
      ([Text.schema(), Self.property("count", .string)], "Thing.count"),
    ] {
      var upload = Upload(file, changesets, from: 1)
      upload.right = .compensated
      let outcome = await server.realm.integrate(upload)
      expectEqual(outcome.code, .invalidSchemaChange)
      expectEqual(Self.message(outcome), "Another definition of \(name) exists")
    }
    #expect(try await server.entries().isEmpty)
    // Another program on the device, with the classes of the app.
    var upload = Upload(file, [Text.schema()], from: 1)
    upload.right = .compensated
    await expectEqual(server.realm.integrate(upload).code, nil)
  }

  @Test func aGroupGoesOnWithoutTheDeviceThatDeclaresTooMuch() async throws {
    let server = try await TestServer(schema: Disk().keeper(try Self.grown(), isFixed: true))
    let first = try await server.realm.allocateFile(for: "a")
    let second = try await server.realm.allocateFile(for: "b")
    let outcomes = await server.realm.integrate(group: [
      Upload(first, [Text.schema(), Self.property("a")], from: 1),
      Upload(second, [Text.schema(), Text.create("x")], from: 1),
    ])
    expectEqual(outcomes.map(\.code), [.invalidSchemaChange, nil])
    try await expectEqual(server.entries().count, 2)
  }

  /// Two realms declare at once; both had found the property to be new.
  @Test func ofTwoRealmsTheFasterOneDefines() throws {
    let keeper = Disk().keeper(try Self.grown(), isFixed: false)
    func declaration(_ type: PayloadType) throws -> [SchemaDeclaration] {
      let origin = ChangesetOrigin(version: 1)
      return SchemaDeclaration.all(
        in: try ChangesetParser.parse(Self.property("a", type), origin: origin))
    }
    let (number, text) = (try declaration(.int), try declaration(.string))
    expectTrue(keeper.refusal(of: number[0]) == nil)
    expectTrue(keeper.refusal(of: text[0]) == nil)
    #expect(try keeper.add(number) == nil)
    let refused = try keeper.add(text)
    expectEqual(refused?.code, .invalidSchemaChange)
  }
}
