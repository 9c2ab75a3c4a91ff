// SPDX-License-Identifier: Apache-2.0

// Values that JSON has not, written with their types.
//
// Exports of ours write `{"$date": "2020-01-01T00:00:00Z"}` where a property holds values of any
// type; extended JSON, as mongoexport writes it, has such objects everywhere:
// `{"$numberLong": "5"}`.

#if Tools
import RealmDeclarations
import RealmFormats
import RealmQuery
import RealmStorage
import RealmTables
import RealmText

/// Reads objects of JSON that stand for a single value.
enum TypedJSON {
  /// The value that an object with one key like `$date` stands for; nil for any other JSON.
  static func value(_ json: JSONValue) throws(ValueInput.Problem) -> TableValue? {
    guard case .object(let members) = json, let member = members.first,
      member.key.hasPrefix("$")
    else { return nil }
    if members.count == 2 { return try oldBinary(members) }
    guard members.count == 1 else { return nil }
    if let type = ObjectJSON.types[member.key],
      let value = ValueInput.scalar(member.value, type, isText: false)
    {
      return value
    }
    switch member.key {
    case "$symbol": return member.value.string.map { .string($0) }
    case "$undefined": return .null
    case "$code", "$dbPointer", "$regularExpression", "$timestamp", "$minKey", "$maxKey":
      throw ValueInput.Problem("a realm has no value like \(member.key) of MongoDB")
    default: break
    }
    do throws(BSONError) {
      let read = try ExtendedJSONReader.value(json)
      if case .document = read { return nil }
      if let value = value(read) { return value }
    } catch {}
    let type = ObjectJSON.types[member.key].map { SchemaJSON.typeName($0) } ?? member.key
    let text = CellText.shortened(JSONWriter.text(member.value), limit: 40)
    throw ValueInput.Problem("\(text) is no \(type)")
  }

  /// Data as the first version of extended JSON has it; nil for any other JSON.
  private static func oldBinary(
    _ members: [JSONMember]
  ) throws(ValueInput.Problem) -> TableValue? {
    guard members[0].key == "$binary", members[1].key == "$type" else { return nil }
    return try value(["$binary": ["base64": members[0].value, "subType": members[1].value]])
  }

  private static func value(_ value: BSONValue) -> TableValue? {
    switch value {
    case .int32(let number): .int(Int64(number))
    case .int64(let number): .int(number)
    case .double(let number): .double(number)
    case .decimal(let text): ValueText.file.value(text, of: .decimal)
    case .objectID(let id): .objectId(Bytes12(high: id.high, low: id.low))
    case .date(let milliseconds): .timestamp(date(milliseconds))
    case .binary(_, let bytes):
      value.uuid.map { .uuid(Bytes16(high: $0.high, low: $0.low)) } ?? .binary(bytes)
    default: nil
    }
  }

  private static func date(_ milliseconds: Int64) -> Timestamp {
    let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    return Timestamp(seconds: seconds, nanoseconds: Int32(rest) * 1_000_000)
  }

  /// A value as one of another type that holds it as well; nil if the type does not.
  static func fitting(_ value: TableValue, _ type: ColumnType) -> TableValue? {
    if value.type == type { return value }
    switch (value, type) {
    case (.int(let number), .double): return .double(Double(number))
    case (.int(let number), .float): return .float(Float(number))
    case (.int(let number), .decimal): return .decimal(DecimalBits(integer: number))
    case (.double(let number), .int): return Int64(exactly: number).map { .int($0) }
    case (.double(let number), .float): return .float(Float(number))
    case (.double(let number), .decimal): return .decimal(DecimalBits(double: number))
    case (_, .string): return ValueText.file.string(value).map { .string($0) }
    default: return nil
    }
  }
}
#endif
