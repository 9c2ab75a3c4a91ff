// SPDX-License-Identifier: Apache-2.0

// Dumps as mongodump and mongoexport write them.

#if Server
import RealmFormats
import RealmStorage
import RealmText

@testable import RealmServerServices

/// Writes documents in the forms of dumps.
enum DumpWriter {
  // MARK: BSON

  static func bson(_ value: BSONValue) -> [UInt8] {
    guard case .document(let elements) = value else { return [] }
    return document(elements)
  }

  private static func number(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }

  private static func document(_ elements: [BSONElement]) -> [UInt8] {
    let body = elements.flatMap { element in
      let (type, payload) = payload(element.value)
      return [type] + Array(element.key.utf8) + [0] + payload
    }
    return number(Int32(body.count + 5)) + body + [0]
  }

  private static func text(_ text: String) -> [UInt8] {
    number(Int32(text.utf8.count + 1)) + Array(text.utf8) + [0]
  }

  private static func payload(_ value: BSONValue) -> (UInt8, [UInt8]) {
    switch value {
    case .null: (0x0A, [])
    case .bool(let truth): (0x08, [truth ? 1 : 0])
    case .int32(let value): (0x10, number(value))
    case .int64(let value): (0x12, number(value))
    case .double(let value): (0x01, number(value.bitPattern))
    case .decimal(let text):
      (0x13, DecimalBits(text: text).map { number($0.low) + number($0.high) } ?? [])
    case .string(let value): (0x02, text(value))
    case .objectID(let id): (0x07, number(id.high.byteSwapped) + number(id.low.byteSwapped))
    case .binary(let subtype, let bytes): (0x05, number(Int32(bytes.count)) + [subtype] + bytes)
    case .date(let time): (0x09, number(time))
    case .timestamp(let seconds, let increment): (0x11, number(increment) + number(seconds))
    case .regularExpression(let pattern, let options):
      (0x0B, Array(pattern.utf8) + [0] + Array(options.utf8) + [0])
    case .minKey: (0xFF, [])
    case .maxKey: (0x7F, [])
    case .array(let values):
      (0x04, document(values.enumerated().map { BSONElement("\($0.offset)", $0.element) }))
    case .document(let elements): (0x03, document(elements))
    }
  }

  // MARK: Archives

  /// An archive whose collections alternate after some documents.
  static func archive(
    _ collections: [(DumpNamespace, [BSONValue])], documentsPerBlock: Int = 3
  ) -> [UInt8] {
    let end = number(Int32(-1))
    var bytes = ArchiveDump.magic
    bytes += document([
      BSONElement("concurrent_collections", .int32(4)), BSONElement("version", .string("0.1")),
      BSONElement("server_version", .string("7.0.5")), BSONElement("tool_version", .string("100")),
    ])
    for (namespace, _) in collections {
      bytes += document(
        names(namespace) + [
          BSONElement("metadata", .string("{}")), BSONElement("size", .int32(0)),
          BSONElement("type", .string("collection")),
        ])
    }
    bytes += end
    var checksums = collections.map { _ in CRC64() }
    let longest = collections.map { $0.1.count }.max() ?? 0
    for start in stride(from: 0, to: longest, by: documentsPerBlock) {
      for (index, (namespace, documents)) in collections.enumerated() {
        let part = documents.dropFirst(start).prefix(documentsPerBlock)
        guard !part.isEmpty else { continue }
        bytes += header(namespace, isLast: false, checksum: 0)
        for document in part {
          let content = bson(document)
          checksums[index].add(content)
          bytes += content
        }
        bytes += end
      }
    }
    for (index, (namespace, _)) in collections.enumerated() {
      bytes += header(namespace, isLast: true, checksum: checksums[index].checksum) + end
    }
    return bytes
  }

  private static func names(_ namespace: DumpNamespace) -> [BSONElement] {
    [
      BSONElement("db", .string(namespace.database ?? "")),
      BSONElement("collection", .string(namespace.collection)),
    ]
  }

  private static func header(
    _ namespace: DumpNamespace, isLast: Bool, checksum: UInt64
  ) -> [UInt8] {
    document(
      names(namespace) + [
        BSONElement("EOF", .bool(isLast)),
        BSONElement("CRC", .int64(Int64(bitPattern: checksum))),
      ])
  }

  // MARK: JSON

  enum JSONForm: CaseIterable {
    case lines, array, relaxedLines, relaxedArray
  }

  static func json(_ documents: [BSONValue], _ form: JSONForm) -> [UInt8] {
    let isRelaxed = form == .relaxedLines || form == .relaxedArray
    let texts = documents.map { document in
      JSONWriter.text(isRelaxed ? relaxed(document) : ExtendedJSONWriter.json(document))
    }
    let text =
      form == .lines || form == .relaxedLines
      ? texts.map { $0 + "\n" }.joined() : "[" + texts.joined(separator: ",\n") + "]\n"
    return Array(text.utf8)
  }

  private static func relaxed(_ value: BSONValue) -> JSONValue {
    switch value {
    case .int32(let number): .integer(Int64(number))
    case .int64(let number): .integer(number)
    case .double(let number) where number.isFinite && number != 0: .double(number)
    case .date(let time) where time >= 0 && time % 1_000 == 0:
      .object([JSONMember("$date", .string(date(time / 1_000)))])
    case .array(let values): .array(values.map(relaxed))
    case .document(let elements):
      .object(elements.map { JSONMember($0.key, relaxed($0.value)) })
    default: ExtendedJSONWriter.json(value)
    }
  }

  private static func date(_ seconds: Int64) -> String {
    guard let time = CalendarTime(seconds: seconds, nanoseconds: 0) else { return "" }
    return "\(time.day.text)T\(time.timeOfDay)Z"
  }
}
#endif
