// SPDX-License-Identifier: Apache-2.0

// The layout of one instruction.
//
// Invariants:
// 1. The last `slack` bytes of `output` are not written yet. Whatever appends to `output` calls
//    `trim()` first; short instructions are stored there.

import RealmText

/// Writes instructions; remembers the bytes of the last object, as most instructions concern the
/// object of the one before. It owns the arrays it reads and writes, so no reference is counted for
/// an instruction.
struct InstructionWriter: Sendable {
  /// The written bytes, after `trim()`.
  var output: [UInt8] = []
  private var slack = 0
  /// The path elements and payload bytes of the instructions.
  var elements: [PathElement] = []
  var payloadBytes: [UInt8] = []
  private var lastTable = InternedString(.max)
  private var lastKey = PrimaryKey.null
  /// Class and key of the last object.
  private var objectBytes: [UInt8] = []

  /// The most bytes to copy one by one: it costs less than counting a reference.
  private static let shortMax = 12

  /// Forgets everything and keeps the memory.
  mutating func removeAll() {
    output.removeAll(keepingCapacity: true)
    slack = 0
    elements.removeAll(keepingCapacity: true)
    payloadBytes.removeAll(keepingCapacity: true)
    objectBytes.removeAll(keepingCapacity: true)
    lastTable = InternedString(.max)
  }

  /// The number of written bytes.
  var byteCount: Int { output.count - slack }

  /// Ends `output` where the last instruction ends.
  @inline(__always)
  mutating func trim() {
    guard slack > 0 else { return }
    output.removeLast(slack)
    slack = 0
  }

  mutating func write(_ instruction: Instruction) {
    if case .createObject(let object) = instruction { return writeCreation(object) }
    trim()
    switch instruction {
    case .addTable(let step): write(step)
    case .eraseTable(let table):
      output.write(.eraseTable)
      output.write(table)
    case .createObject(let object):
      output.write(.createObject)
      write(object.table, object.key)
    case .eraseObject(let object):
      output.write(.eraseObject)
      write(object.table, object.key)
    case .addColumn(let step): write(step)
    case .eraseColumn(let step):
      output.write(.eraseColumn)
      output.write(step.table)
      output.write(step.field)
    case .update(let step):
      write(.update, step.path)
      write(step.value)
      if !step.path.elements.isEmpty,
        case .index = elements[step.path.elements.indices.upperBound - 1]
      {
        output.write(unsigned: UInt64(step.priorSize))
      } else {
        output.append(step.isDefault ? 1 : 0)
      }
    case .addInteger(let step):
      write(.addInteger, step.path)
      output.write(signed: step.amount)
    case .arrayInsert(let step):
      write(.arrayInsert, step.path)
      write(step.value)
      output.write(unsigned: UInt64(step.priorSize))
    case .arrayMove(let step):
      write(.arrayMove, step.path)
      output.write(unsigned: UInt64(step.target))
      output.write(unsigned: UInt64(step.priorSize))
    case .arrayErase(let step):
      write(.arrayErase, step.path)
      output.write(unsigned: UInt64(step.priorSize))
    case .clear(let step):
      write(.clear, step.path)
      output.append(step.collection.rawValue)
    case .setInsert(let step):
      write(.setInsert, step.path)
      write(step.value)
    case .setErase(let step):
      write(.setErase, step.path)
      write(step.value)
    }
  }

  /// The assignment of a property or of a dictionary's entry.
  mutating func writeUpdate(_ path: InstructionPath, _ value: Payload, isDefault: Bool) {
    if path.elements.isEmpty, value.isShort {
      return writeShortUpdate(path, value, isDefault: isDefault)
    }
    trim()
    write(.update, path)
    write(value)
    output.append(isDefault ? 1 : 0)
  }

  mutating func writeUpdate(_ path: InstructionPath, text: String, isDefault: Bool) {
    let isWritten: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
      unsafe writeUpdate(path, utf8: UnsafeRawBufferPointer(bytes), isDefault: isDefault)
    }
    if isWritten != nil { return }
    trim()
    write(.update, path)
    output.write(PayloadType.string)
    output.write(unsigned: UInt64(text.utf8.count))
    output.append(contentsOf: text.utf8)
    output.append(isDefault ? 1 : 0)
  }

  mutating func writeUpdate(
    _ path: InstructionPath, utf8 bytes: UnsafeRawBufferPointer, isDefault: Bool
  ) {
    if path.elements.isEmpty, bytes.count <= Self.shortTextMax {
      return unsafe writeShortUpdate(path, utf8: bytes, isDefault: isDefault)
    }
    trim()
    write(.update, path)
    output.write(PayloadType.string)
    output.write(unsigned: UInt64(bytes.count))
    unsafe output.append(contentsOf: bytes)
    output.append(isDefault ? 1 : 0)
  }

  private mutating func write(_ step: Instruction.AddTable) {
    assert((step.key == nil) == (step.kind == .embedded), "only embedded classes have no key")
    output.write(.addTable)
    output.write(step.table)
    output.append(step.kind.rawValue)
    guard let key = step.key else { return }
    output.write(key.field)
    output.write(key.type)
    output.append(key.isNullable ? 1 : 0)
  }

  private mutating func write(_ step: Instruction.AddColumn) {
    assert((step.linkTarget != nil) == (step.type == .link), "links alone have a target")
    output.write(.addColumn)
    output.write(step.table)
    output.write(step.field)
    output.write(step.type)
    output.append(step.isNullable ? 1 : 0)
    output.append(step.collection.rawValue)
    if let target = step.linkTarget { output.write(target) }
    if step.collection == .dictionary { output.write(PayloadType.string) }
  }

  private mutating func write(_ tag: InstructionTag, _ path: InstructionPath) {
    output.write(tag)
    write(path.table, path.key)
    output.write(path.field)
    output.write(unsigned: UInt64(path.elements.count))
    for element in path.elements.indices {
      switch elements[element] {
      case .index(let index): output.write(unsigned: UInt64(index))
      case .key(let key):
        output.write(signed: -1)
        output.write(key)
      }
    }
  }

  @inline(__always)
  private mutating func encodeObject(_ table: InternedString, _ key: PrimaryKey) {
    guard table != lastTable || key != lastKey else { return }
    lastTable = table
    lastKey = key
    objectBytes.removeAll(keepingCapacity: true)
    objectBytes.write(table)
    objectBytes.write(key)
  }

  private mutating func write(_ table: InternedString, _ key: PrimaryKey) {
    encodeObject(table, key)
    if objectBytes.count <= Self.shortMax {
      for byte in objectBytes.indices { output.append(objectBytes[byte]) }
    } else {
      output.append(contentsOf: objectBytes)
    }
  }

  private mutating func write(_ value: Payload) {
    output.write(value.type)
    switch value {
    case .string(let range), .binary(let range):
      output.write(unsigned: UInt64(range.count))
      if range.count <= Self.shortMax {
        for index in range.indices { output.append(payloadBytes[index]) }
      } else {
        output.append(contentsOf: payloadBytes[range.indices])
      }
    default: output.write(fixed: value)
    }
  }
}

// MARK: - Short instructions

// The commonest instructions are stored in room for several of them: it costs less than appending
// their bytes one by one.
extension InstructionWriter {
  /// The most bytes of a text stored this way.
  private static let shortTextMax = 40
  /// The most bytes of a short instruction, but for those of its object and its text: tag, property
  /// and number of steps, type and value, flag.
  private static let shortRest = 7 + 18 + 1
  private static let room = [UInt8](repeating: 0, count: 512)

  /// Makes room for a short instruction of the present object; where it begins.
  @inline(__always)
  private mutating func makeRoom(text: Int) -> Int {
    if slack < objectBytes.count + Self.shortRest + text {
      output.append(contentsOf: Self.room)
      slack += Self.room.count
    }
    return output.count - slack
  }

  private mutating func writeCreation(_ object: ObjectReference) {
    encodeObject(object.table, object.key)
    let start = makeRoom(text: 0)
    let end = Self.storeCreation(of: objectBytes, in: &output, at: start)
    slack = output.count - end
  }

  /// The assignment of a property of the last object; the value is short.
  mutating func writeUpdate(ofLast field: InternedString, _ value: Payload, isDefault: Bool) {
    assert(!objectBytes.isEmpty && value.isShort, "there is no last object")
    let start = makeRoom(text: 0)
    let end = Self.storeUpdate(
      field, of: objectBytes, value, isDefault: isDefault, in: &output, at: start)
    slack = output.count - end
  }

  mutating func writeUpdate(
    ofLast field: InternedString, utf8 bytes: UnsafeRawBufferPointer, isDefault: Bool
  ) {
    assert(!objectBytes.isEmpty, "there is no last object")
    guard bytes.count <= Self.shortTextMax else {
      let path = InstructionPath(table: lastTable, key: lastKey, field: field)
      return unsafe writeUpdate(path, utf8: bytes, isDefault: isDefault)
    }
    let start = makeRoom(text: bytes.count)
    let end = unsafe Self.storeUpdate(
      field, of: objectBytes, utf8: bytes, isDefault: isDefault, in: &output, at: start)
    slack = output.count - end
  }

  private mutating func writeShortUpdate(
    _ path: InstructionPath, _ value: Payload, isDefault: Bool
  ) {
    encodeObject(path.table, path.key)
    let start = makeRoom(text: 0)
    let end = Self.storeUpdate(
      path.field, of: objectBytes, value, isDefault: isDefault, in: &output, at: start)
    slack = output.count - end
  }

  private mutating func writeShortUpdate(
    _ path: InstructionPath, utf8 bytes: UnsafeRawBufferPointer, isDefault: Bool
  ) {
    encodeObject(path.table, path.key)
    let start = makeRoom(text: bytes.count)
    let end = unsafe Self.storeUpdate(
      path.field, of: objectBytes, utf8: bytes, isDefault: isDefault, in: &output, at: start)
    slack = output.count - end
  }

  // Functions of the two arrays: while a span of one is there, the writer cannot be asked for the
  // other.

  @inline(__always)
  private static func storeCreation(
    of object: [UInt8], in output: inout [UInt8], at start: Int
  ) -> Int {
    var end = start
    var span = output.mutableSpan
    span.store(InstructionTag.createObject.rawValue, at: &end)
    for byte in object.indices { span.store(object[byte], at: &end) }
    return end
  }

  @inline(__always)
  private static func storeUpdate(
    _ field: InternedString, of object: [UInt8], _ value: Payload, isDefault: Bool,
    in output: inout [UInt8], at start: Int
  ) -> Int {
    var end = start
    var span = output.mutableSpan
    store(.update, field, of: object, in: &span, at: &end)
    span.store(value.type, at: &end)
    switch value {
    case .int(let number): span.store(signed: number, at: &end)
    case .bool(let truth): span.store(truth ? 1 : 0, at: &end)
    case .timestamp(let seconds, let nanoseconds):
      span.store(signed: seconds, at: &end)
      span.store(signed: Int64(nanoseconds), at: &end)
    case .float(let number): span.store(bigEndian: number.bitPattern.byteSwapped, at: &end)
    case .double(let number): span.store(bigEndian: number.bitPattern.byteSwapped, at: &end)
    case .objectID(let id):
      span.store(bigEndian: id.high, at: &end)
      span.store(bigEndian: id.low, at: &end)
    case .uuid(let id):
      span.store(bigEndian: id.high, at: &end)
      span.store(bigEndian: id.low, at: &end)
    default: assert(value == .null, "the value is not short")
    }
    span.store(isDefault ? 1 : 0, at: &end)
    return end
  }

  @inline(__always)
  private static func storeUpdate(
    _ field: InternedString, of object: [UInt8], utf8 bytes: UnsafeRawBufferPointer,
    isDefault: Bool, in output: inout [UInt8], at start: Int
  ) -> Int {
    var end = start
    var span = output.mutableSpan
    store(.update, field, of: object, in: &span, at: &end)
    span.store(PayloadType.string, at: &end)
    span.store(unsigned: UInt64(bytes.count), at: &end)
    for byte in bytes.indices { span.store(unsafe bytes[byte], at: &end) }
    span.store(isDefault ? 1 : 0, at: &end)
    return end
  }

  /// Stores everything before a value: tag, object, property, and an empty path.
  @inline(__always)
  private static func store(
    _ tag: InstructionTag, _ field: InternedString, of object: [UInt8],
    in span: inout MutableSpan<UInt8>, at end: inout Int
  ) {
    span.store(tag.rawValue, at: &end)
    for byte in object.indices { span.store(object[byte], at: &end) }
    span.store(unsigned: UInt64(field.index), at: &end)
    span.store(0, at: &end)
  }
}

extension Payload {
  /// Whether the value fits into a short instruction.
  fileprivate var isShort: Bool {
    switch self {
    case .null, .int, .bool, .timestamp, .float, .double, .objectID, .uuid: true
    default: false
    }
  }
}

/// The number of a kind of instruction, or of a string's definition, on the wire.
enum InstructionTag: UInt8 {
  case addTable = 0
  case eraseTable = 1
  case createObject = 2
  case eraseObject = 3
  case update = 4
  case addInteger = 5
  case addColumn = 6
  case eraseColumn = 7
  case arrayInsert = 8
  case arrayMove = 9
  case arrayErase = 10
  case clear = 11
  case setInsert = 12
  case setErase = 13
  case defineString = 0x3F
}
