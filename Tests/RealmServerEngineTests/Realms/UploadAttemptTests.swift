// SPDX-License-Identifier: Apache-2.0

// An upload is one value, however often its group is integrated again.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

struct UploadAttemptTests {
  private typealias Text = ChangesetText

  /// A group of uploads of new objects, of which one is special.
  enum Group: CaseIterable {
    case atOnce, oneMisfit, manyMisfits, missingDeclarations, refusedWrites, hiddenWrites
    case unseenObject
  }

  private static func rules(_ permission: ClassPermission) -> WriteRules {
    WriteRules(
      permissions: SessionPermissions(fallback: permission),
      subscriptions: [["Thing": "TRUEPREDICATE"]])
  }

  private static let readOnly = rules(
    ClassPermission(
      role: "r", read: .constant(true), write: .constant(false), inserts: false, deletes: false,
      writable: .all))

  private static let hiding = rules(
    ClassPermission(
      role: "r", read: .constant(true),
      readable: FieldSelection(others: true, exceptions: ["count"]), write: .constant(true),
      inserts: true, deletes: true, writable: .all))

  /// The transactions of a group. One ends before an upload whose writes have to be left out, or
  /// that needs the objects of before its transaction.
  private static func transactionCount(_ group: Group) -> Int {
    switch group {
    case .atOnce, .oneMisfit, .manyMisfits, .missingDeclarations: 1
    case .refusedWrites, .hiddenWrites, .unseenObject: 2
    }
  }

  /// Three uploads, of which the one in the middle has what the group is named after.
  private static func uploads(_ group: Group, to server: TestServer) async throws -> [Upload] {
    var files: [ClientFile] = []
    for number in 0..<4 { files.append(try await server.realm.allocateFile(for: "\(number)")) }
    _ = await server.realm.integrate(
      Upload(files[3], [Text.schema(), Text.create("old", count: 9)], from: 1))
    let base = try await server.snapshot().head.version
    // Different bytes each, so that each is counted for itself.
    var uploads = files.prefix(3).enumerated().map { number, file in
      Upload(
        file, [Text.create("x\(number)", count: 1), Text.set("x\(number)", count: 2)], from: 1,
        base: base)
    }
    switch group {
    case .atOnce: break
    case .oneMisfit:
      uploads[1] = Upload(files[1], [Text.set("missing", count: 1)], from: 1, base: base)
    case .manyMisfits:
      for number in 0..<2 {
        uploads[number] = Upload(
          files[number], [Text.set("missing\(number)", count: 1)], from: 1, base: base)
      }
    case .missingDeclarations:
      uploads[1] = Upload(files[1], [UploadAttemptTests.late("l", count: 5)], from: 1, base: base)
    case .refusedWrites: uploads[1].rules = readOnly
    case .hiddenWrites: uploads[1].rules = hiding
    case .unseenObject:
      uploads[1] = Upload(files[1], [Text.create("old", count: 5)], from: 1, base: base)
    }
    return uploads
  }

  /// The creation of an object of a class that the schema of the app has, and the realm has not.
  private static func late(_ key: String, count: Int64) -> [UInt8] {
    var encoder = ChangesetEncoder()
    let (late, name) = (encoder.intern("Late"), encoder.intern("count"))
    let object = ObjectReference(table: late, key: .string(encoder.intern(key)))
    encoder.append(.createObject(object))
    let path = InstructionPath(table: late, key: object.key, field: name)
    encoder.append(.update(.init(path: path, value: .int(count))))
    return encoder.bytes
  }

  /// The schema of the app: that of the realm, and a class that no device has declared.
  private static func schema() throws -> AppSchema {
    var encoder = ChangesetEncoder()
    let (late, id) = (encoder.intern("Late"), encoder.intern("id"))
    encoder.append(
      .addTable(
        .init(
          table: late, kind: .topLevel, key: .init(field: id, type: .string, isNullable: false))))
    encoder.append(
      .addColumn(
        .init(
          table: late, field: encoder.intern("count"), type: .int, isNullable: false,
          collection: .single)))
    var schema = AppSchema()
    for bytes in [Text.schema(), encoder.bytes] {
      let changeset = try ChangesetParser.parse(bytes, origin: ChangesetOrigin(version: 1))
      for declaration in SchemaDeclaration.all(in: changeset) { schema.add(declaration) }
    }
    return schema
  }

  /// `UploadAttempt` 1
  @Test(arguments: Group.allCases)
  func theBytesOfAnUploadAreParsedOnce(_ group: Group) async throws {
    let keeper = SchemaKeeper(try Self.schema(), isFixed: true) { _ in .success(nil) }
    let appended = Locked(0)
    let server = try await TestServer(recordsTouches: true, schema: keeper) { call in
      if case .appended = call { appended.withLock { $0 += 1 } }
    }
    let uploads = try await Self.uploads(group, to: server)
    appended.withLock { $0 = 0 }
    let counts = Locked<[[UInt8]: Int]>([:])
    let outcomes = await ChangesetParser.$observer.withValue(
      ChangesetParser.Observer { bytes in counts.withLock { $0[bytes, default: 0] += 1 } },
      operation: { await server.realm.integrate(group: uploads) })
    let misfits =
      switch group {
      case .oneMisfit: [1]
      case .manyMisfits: [0, 1]
      default: [Int]()
      }
    for (number, outcome) in outcomes.enumerated() {
      expectEqual(outcome.code, misfits.contains(number) ? .badChangeset : nil, "\(number)")
    }
    expectEqual(appended.withLock { $0 }, Self.transactionCount(group))
    for (number, upload) in uploads.enumerated() {
      for entry in upload.entries {
        expectEqual(counts.withLock { $0[entry.changeset] }, 1, "upload \(number)")
      }
    }
  }
}
