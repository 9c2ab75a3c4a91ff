// SPDX-License-Identifier: Apache-2.0

// The writes that users may not make, and what undoes them (P4 C.3).
//
// Invariants:
// 1. A compensating write has a version of its own, after those of its upload. It brings each of
//    its objects to the state in the realm at that version; in flexible mode it erases them, and
//    the next round sends those that are seen.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmTables
import RealmText

/// The refused writes of an upload.
struct Compensation {
  /// The most objects of one upload.
  private static let objectCountMax = 10_000
  /// The most bytes of their names: the report has each key twice, in one message.
  private static let nameByteCountMax = 1 << 20
  /// The size above which states are not sent: less than a property may have.
  private static let byteCountMax = 8 << 20

  let file: FileIdentifier
  /// The schema of the app; nil where nothing is known of it.
  private let schema: SchemaKeeper?
  /// The last refused version.
  private(set) var clientVersion: UInt64 = 0
  /// In the order of the first writes.
  private(set) var objects: [ObjectIdentity] = []
  private var known: Set<ObjectIdentity> = []
  private var nameByteCount = 0
  /// What is refused in flexible mode.
  private let refused: RefusedWrites?

  /// - Parameter refused: The writes that roles refuse; nil in partition mode.
  init(
    file: FileIdentifier, schema: SchemaKeeper? = nil, _ refused: RefusedWrites? = nil
  ) {
    self.file = file
    self.schema = schema
    self.refused = refused
  }

  var isEmpty: Bool { objects.isEmpty }

  /// Takes the changes of objects out of a changeset, and the declarations that the schema of the
  /// app does not have. The others stay: should the user get the right to write, what its program
  /// has declared is not declared again.
  mutating func take(
    from changeset: inout Changeset, _ right: WriteRight
  ) throws(SessionRefusal) {
    var kept: [Instruction] = []
    for instruction in changeset.instructions {
      switch instruction {
      case .addTable, .addColumn:
        if try keeps(instruction, of: changeset) { kept.append(instruction) }
      default:
        guard right == .compensated, let object = instruction.object else { throw refusal }
        try add(changeset.identity(of: object), of: changeset)
      }
    }
    if kept.isEmpty {
      changeset = Changeset(origin: changeset.origin)
    } else {
      changeset.instructions = kept
    }
  }

  /// Whether the app's schema has a declaration. Another definition than that of the schema is
  /// refused (P4 D), as it is for users with the right to write: the device could not take the
  /// realm's objects of the class, and would declare properties of a class that the realm lacks.
  private func keeps(
    _ instruction: Instruction, of changeset: Changeset
  ) throws(SessionRefusal) -> Bool {
    guard let schema, let declaration = SchemaDeclaration(instruction, in: changeset) else {
      return false
    }
    switch schema.schema.finding(declaration) {
    case .known: return true
    case .new: return false
    case .conflict: throw .otherDefinition(of: declaration.name)
    }
  }

  /// Takes the changes of refused objects out of a changeset.
  ///
  /// - Returns: Whether there were any.
  mutating func takeRefused(from changeset: inout Changeset) throws(SessionRefusal) -> Bool {
    guard let refused, !refused.isEmpty else { return false }
    let version = changeset.origin.version
    var isTaken: [ObjectReference: Bool] = [:]
    for instruction in changeset.instructions {
      guard let object = instruction.object, isTaken[object] == nil else { continue }
      let identity = changeset.identity(of: object)
      let isRefused = refused.contains(identity, at: version)
      isTaken[object] = isRefused
      if isRefused { try add(identity, of: changeset) }
    }
    guard isTaken.values.contains(true) else { return false }
    changeset.instructions.removeAll { $0.object.map { isTaken[$0] ?? false } ?? false }
    return true
  }

  private mutating func add(
    _ object: ObjectIdentity, of changeset: Changeset
  ) throws(SessionRefusal) {
    guard RejectedKey(object) != nil else { throw refusal }
    clientVersion = changeset.origin.version
    guard known.insert(object).inserted else { return }
    objects.append(object)
    nameByteCount += object.className.utf8.count + object.approximateByteCount
    guard objects.count <= Self.objectCountMax, nameByteCount <= Self.nameByteCountMax
    else { throw refusal }
  }

  /// The end of a session whose writes cannot be undone one by one. A client that recovered them
  /// would be refused again.
  var refusal: SessionRefusal { refused == nil ? Self.readersRefusal : Self.roleRefusal }

  private static let readersRefusal = SessionRefusal(
    .writeNotAllowed, "Write not allowed: the user may read the partition and not change it",
    action: .clientResetNoRecovery)

  /// The same of a session in flexible mode.
  static let roleRefusal = SessionRefusal(
    .writeNotAllowed, "Write not allowed: the role of the user does not allow a change",
    action: .clientResetNoRecovery)

  /// The private change that undoes the writes; nil if it would be too large.
  ///
  /// - Parameter source: The objects after all changes before the version.
  func change(
    _ source: WriteGroup, version: UInt64, timestamp: OriginTimestamp
  ) throws(StorageError) -> PrivateChange? {
    assert(!objects.isEmpty, "`Compensation` 1: a version that undoes nothing")
    if let refused {
      return PrivateChange(
        file: file, version: version, timestamp: timestamp, objects: objects,
        changeset: PrivatePart(erasing: objects).changeset,
        refusal: PrivateChange.Refusal(
          clientVersion: clientVersion, objects: objects,
          outsideOfView: Set(objects.filter { refused.objects[$0]?.isOutsideOfView == true })))
    }
    var writer = ObjectStateWriter(source, file: .server)
    for object in objects {
      writer.appendErasure { encoder in encoder.reference(to: object) }
      if let table = try source.table(named: "class_" + object.className),
        let key = try source.readTable(table.key)?.key(of: object.key)
      {
        try writer.append(key, in: table.key)
      }
      guard writer.byteCount <= Self.byteCountMax else { return nil }
    }
    let bytes = writer.take()
    return PrivateChange(
      file: file, version: version, timestamp: timestamp, objects: objects, changeset: bytes,
      refusal: PrivateChange.Refusal(clientVersion: clientVersion, sent: bytes))
  }
}

extension CompensatingWriteReport {
  /// The report of a private change; nil if it undoes nothing.
  ///
  /// - Parameter asymmetric: The names of the asymmetric classes.
  init?(_ change: PrivateChange, asymmetric: Set<String>) {
    guard let refusal = change.refusal else { return nil }
    self.init(
      serverVersion: change.version, rejectedClientVersion: refusal.clientVersion, updates: [])
    for object in refusal.objects.isEmpty ? change.objects : refusal.objects {
      guard let key = RejectedKey(object) else { continue }
      if asymmetric.contains(object.className) {
        refused.append(RejectedUpdate(refused: key, in: object.className))
      } else {
        updates.append(
          RejectedUpdate(
            notAllowed: key, in: object.className,
            isOutsideOfView: refusal.outsideOfView.contains(object)))
      }
    }
  }
}

extension RejectedKey {
  /// The primary key of an object; nil for an object without one.
  init?(_ object: ObjectIdentity) {
    switch object.key {
    case .value(.null): self = .null
    case .value(.int(let number)): self = .int(number)
    case .value(.string(let text)): self = .string(text)
    case .value(.objectId(let id)): self = .objectID(ObjectIDBits(high: id.high, low: id.low))
    case .value(.uuid(let id)): self = .uuid(UUIDBits(high: id.high, low: id.low))
    case .value, .global: return nil
    }
  }
}
