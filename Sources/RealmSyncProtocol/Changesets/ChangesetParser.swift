// SPDX-License-Identifier: Apache-2.0

// Bytes become a changeset.

import RealmText

/// Reads the bytes of a changeset.
///
/// Any sequence of bytes gives a changeset or an error. Counts are compared with the remaining
/// bytes before memory is taken for them.
package struct ChangesetParser {
  /// The longest string of a payload.
  package static let stringByteCountMax = 16_777_199
  /// The longest binary of a payload: the longest of an app's property.
  package static let binaryByteCountMax = 16_777_200

  private var reader: ByteReader
  private var changeset: Changeset
  private let instructionCountMax: Int
  /// Takes the place of 0, the author's file before it has an identifier.
  private let ownFile: FileIdentifier
  private var hasReplacedFile = false

  /// What tests that count bytes do with all that are parsed. A task-local value is no function by
  /// itself: see `SearchTurns.LongNotice`.
  package struct Observer: Sendable {
    private let notify: @Sendable ([UInt8]) -> Void

    package init(_ notify: @escaping @Sendable ([UInt8]) -> Void) { self.notify = notify }

    func callAsFunction(_ bytes: [UInt8]) { notify(bytes) }
  }

  @TaskLocal package static var observer: Observer?

  /// The changeset of some bytes. It shares the bytes if it has strings or binaries.
  ///
  /// - Parameter instructionCountMax: The most instructions, and the most elements of their paths:
  ///   both take many times their bytes.
  package static func parse(
    _ bytes: [UInt8], origin: ChangesetOrigin = ChangesetOrigin(),
    instructionCountMax: Int = .max
  ) throws(ChangesetError) -> Changeset {
    try parse(
      bytes, replacingOwnFileBy: .own, origin: origin, instructionCountMax: instructionCountMax
    ).changeset
  }

  /// The changeset of a file that may have made it before the server gave it its identifier, with
  /// the identifier in the keys of objects without primary key: those of instructions, and of
  /// assigned, inserted and erased links (P5 3).
  ///
  /// - Returns: The changeset, and whether it differs from its bytes.
  package static func parse(
    _ bytes: [UInt8], replacingOwnFileBy file: FileIdentifier,
    origin: ChangesetOrigin = ChangesetOrigin(), instructionCountMax: Int = .max
  ) throws(ChangesetError) -> (changeset: Changeset, isChanged: Bool) {
    observer?(bytes)
    var parser = ChangesetParser(
      reader: ByteReader(bytes: bytes), changeset: Changeset(origin: origin),
      instructionCountMax: instructionCountMax, ownFile: file)
    while !parser.reader.isAtEnd {
      try parser.parseNext()
      guard parser.changeset.instructions.count <= instructionCountMax else {
        throw .tooManyInstructions(instructionCountMax)
      }
    }
    return (parser.changeset, parser.hasReplacedFile)
  }

  private mutating func parseNext() throws(ChangesetError) {
    let number = try reader.signed()
    guard let raw = UInt8(exactly: number), let tag = InstructionTag(rawValue: raw) else {
      throw .unknownInstruction(number)
    }
    switch tag {
    case .defineString: try define()
    case .addTable: changeset.append(.addTable(try addTable()))
    case .eraseTable: changeset.append(.eraseTable(try string()))
    case .createObject: changeset.append(.createObject(try object()))
    case .eraseObject: changeset.append(.eraseObject(try object()))
    case .addColumn: changeset.append(.addColumn(try addColumn()))
    case .eraseColumn:
      changeset.append(.eraseColumn(.init(table: try string(), field: try string())))
    case .update: changeset.append(.update(try update()))
    case .addInteger:
      changeset.append(.addInteger(.init(path: try path(), amount: try reader.signed())))
    case .arrayInsert:
      changeset.append(
        .arrayInsert(
          .init(path: try listPath(), value: try payload(), priorSize: try reader.unsigned32())))
    case .arrayMove:
      changeset.append(
        .arrayMove(
          .init(
            path: try listPath(), target: try reader.unsigned32(),
            priorSize: try reader.unsigned32())))
    case .arrayErase:
      changeset.append(
        .arrayErase(.init(path: try listPath(), priorSize: try reader.unsigned32())))
    case .clear:
      changeset.append(.clear(.init(path: try path(), collection: try collection())))
    case .setInsert:
      changeset.append(.setInsert(.init(path: try path(), value: try payload())))
    case .setErase:
      changeset.append(.setErase(.init(path: try path(), value: try payload())))
    }
  }

  private mutating func define() throws(ChangesetError) {
    let index = try reader.signed()
    guard index == changeset.strings.count else { throw .badStringIndex(index) }
    let range = try reader.bytes(count: try reader.unsigned())
    guard UTF8Validation.isValid(reader.bytes, range) else { throw .invalidUTF8 }
    let (_, isNew) = changeset.strings.intern(
      reader.bytes[range], position: changeset.instructions.count)
    guard isNew else { throw .duplicateString }
  }

  private mutating func addTable() throws(ChangesetError) -> Instruction.AddTable {
    let table = try string()
    let number = try reader.signed()
    guard let raw = UInt8(exactly: number), let kind = ChangesetTableKind(rawValue: raw) else {
      throw .unknownTableKind(number)
    }
    guard kind != .embedded else { return .init(table: table, kind: kind, key: nil) }
    let field = try string()
    let type = try payloadType()
    guard type.isKeyType else { throw .badKeyType(type) }
    let key = Instruction.KeyColumn(field: field, type: type, isNullable: try reader.flag())
    return .init(table: table, kind: kind, key: key)
  }

  private mutating func addColumn() throws(ChangesetError) -> Instruction.AddColumn {
    let table = try string()
    let field = try string()
    let type = try payloadType()
    guard type.isColumnType else { throw .badColumnType(type) }
    let isNullable = try reader.flag()
    let collection = try collection()
    let target = type == .link ? try string() : nil
    if collection == .dictionary {
      let keyType = try payloadType()
      guard keyType == .string else { throw .badDictionaryKeyType(keyType) }
    }
    return .init(
      table: table, field: field, type: type, isNullable: isNullable, collection: collection,
      linkTarget: target)
  }

  private mutating func update() throws(ChangesetError) -> Instruction.Update {
    let path = try path()
    let value = try payload()
    if case .index = changeset.lastElement(of: path) {
      return .init(path: path, value: value, priorSize: try reader.unsigned32())
    }
    return .init(path: path, value: value, isDefault: try reader.flag())
  }

  private mutating func collection() throws(ChangesetError) -> ChangesetCollectionKind {
    let number = try reader.signed()
    guard let raw = UInt8(exactly: number), let kind = ChangesetCollectionKind(rawValue: raw) else {
      throw .unknownCollectionKind(number)
    }
    return kind
  }

  private mutating func object() throws(ChangesetError) -> ObjectReference {
    ObjectReference(table: try string(), key: try key())
  }

  private mutating func path() throws(ChangesetError) -> InstructionPath {
    let table = try string()
    let key = try key()
    let field = try string()
    let count = try reader.unsigned()
    guard count > 0 else { return InstructionPath(table: table, key: key, field: field) }
    guard count <= reader.remaining else { throw .truncated }
    guard count <= instructionCountMax - changeset.elements.count else {
      throw .tooManyInstructions(instructionCountMax)
    }
    let start = changeset.elements.count
    for _ in 0..<count {
      let number = try reader.signed()
      if number == -1 {
        changeset.elements.append(.key(try string()))
      } else if number >= 0 {
        guard let index = UInt32(exactly: number) else { throw .integerOutOfRange }
        changeset.elements.append(.index(index))
      } else {
        throw .badPathElement(number)
      }
    }
    let elements = ElementRange(start: UInt32(start), count: UInt32(count))
    return InstructionPath(table: table, key: key, field: field, elements: elements)
  }

  /// A path with an index at its end.
  private mutating func listPath() throws(ChangesetError) -> InstructionPath {
    let path = try path()
    guard case .index = changeset.lastElement(of: path) else { throw .pathWithoutIndex }
    return path
  }

  // MARK: Strings, keys and payloads

  /// A reference to an earlier string.
  private mutating func string() throws(ChangesetError) -> InternedString {
    let index = try reader.unsigned()
    guard index < UInt64(changeset.strings.count) else { throw .undefinedString(index) }
    return InternedString(UInt32(index))
  }

  private mutating func payloadType() throws(ChangesetError) -> PayloadType {
    let number = try reader.signed()
    guard let raw = Int8(exactly: number), let type = PayloadType(rawValue: raw) else {
      throw .unknownPayloadType(number)
    }
    return type
  }

  private mutating func key() throws(ChangesetError) -> PrimaryKey {
    let type = try payloadType()
    switch type {
    case .null: return .null
    case .int: return .int(try reader.signed())
    case .string: return .string(try string())
    case .globalKey: return .globalKey(try globalKey())
    case .objectID: return .objectID(try objectID())
    case .uuid: return .uuid(try uuid())
    default: throw .badKeyType(type)
    }
  }

  private mutating func globalKey() throws(ChangesetError) -> GlobalKey {
    var key = GlobalKey(high: try reader.unsigned(), low: try reader.unsigned())
    if key.high == FileIdentifier.own.rawValue, ownFile != .own {
      key.high = ownFile.rawValue
      hasReplacedFile = true
    }
    return key
  }

  private mutating func payload() throws(ChangesetError) -> Payload {
    let type = try payloadType()
    switch type {
    case .null: return .null
    case .int: return .int(try reader.signed())
    case .bool: return .bool(try reader.flag())
    case .string:
      let range = try blob(Self.stringByteCountMax)
      guard UTF8Validation.isValid(reader.bytes, range.indices) else { throw .invalidUTF8 }
      return .string(range)
    case .binary: return .binary(try blob(Self.binaryByteCountMax))
    case .timestamp: return try timestamp()
    case .float:
      return .float(
        Float(bitPattern: UInt32(truncatingIfNeeded: try reader.bigEndian(4)).byteSwapped))
    case .double: return .double(Double(bitPattern: try reader.bigEndian(8).byteSwapped))
    case .decimal: return try decimal()
    case .link: return .link(table: try string(), key: try key())
    case .objectID: return .objectID(try objectID())
    case .uuid: return .uuid(try uuid())
    case .objectValue: return .objectValue
    case .dictionary: return .dictionary
    case .erased: return .erased
    case .list: return .list
    case .set: return .set
    case .globalKey: throw .badPayloadType(type)
    }
  }

  /// The range of a string's or binary's bytes in the input.
  private mutating func blob(_ countMax: Int) throws(ChangesetError) -> ByteRange {
    let range = try reader.bytes(count: try reader.unsigned())
    guard range.count <= countMax else { throw .payloadTooLong(range.count) }
    if changeset.payloadBytes.isEmpty { changeset.payloadBytes = reader.bytes }
    return ByteRange(offset: range.lowerBound, count: range.count)
  }

  private mutating func timestamp() throws(ChangesetError) -> Payload {
    let seconds = try reader.signed()
    let nanoseconds = try reader.signed()
    guard nanoseconds.magnitude < 1_000_000_000,
      seconds == 0 || nanoseconds == 0 || (seconds < 0) == (nanoseconds < 0)
    else { throw .badTimestamp }
    return .timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds))
  }

  private mutating func decimal() throws(ChangesetError) -> Payload {
    let (high, low) = try reader.coefficient()
    let exponent = try reader.signed()
    let isNegative = try reader.flag()
    guard
      let bits = Decimal128Bits(
        coefficientHigh: high, coefficientLow: low, exponent: exponent, isNegative: isNegative)
    else { throw .badDecimal }
    return .decimal(bits)
  }

  private mutating func objectID() throws(ChangesetError) -> ObjectIDBits {
    ObjectIDBits(
      high: try reader.bigEndian(8), low: UInt32(truncatingIfNeeded: try reader.bigEndian(4)))
  }

  private mutating func uuid() throws(ChangesetError) -> UUIDBits {
    UUIDBits(high: try reader.bigEndian(8), low: try reader.bigEndian(8))
  }
}
