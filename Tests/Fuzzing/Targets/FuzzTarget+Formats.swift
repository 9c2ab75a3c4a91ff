// SPDX-License-Identifier: Apache-2.0

// Texts and bytes in formats of others: JSON, BSON, DEFLATE, and the texts of single values.

#if Tools && Server
import RealmDeclarations
import RealmFormats
import RealmQuery
import RealmSyncProtocol
import RealmTables
import RealmText

extension FuzzTarget {
  /// Reads JSON, and what it may stand for: values of BSON, and the classes of a file.
  static let json = FuzzTarget(
    name: "json", byteCountMax: 1_024,
    run: { input, _ in
      guard let value = try? JSONParser.parse(input) else { return .refused }
      guard try JSONParser.parse(JSONWriter.bytes(value)) == value else {
        throw Finding("written and read again, JSON is another: \(value)")
      }
      if let extended = try? ExtendedJSONReader.value(value) { try requireSame(extended) }
      if let schema = try? DeclaredSchema(value) {
        let swift = SwiftSchema(schema)
        for type in schema.classes { _ = swift.text(ofClass: type.name) }
      }
      return .read
    },
    seeds: { _ in
      jsonTexts.map { Array($0.utf8) }
        + [JSONWriter.bytes(SchemaJSON.value(try StoredSchema(SampleFile.shared.get().read())))]
        .filter { $0.count <= 1_024 }
    })

  private static func requireSame(_ value: BSONValue) throws {
    let text = ExtendedJSONWriter.text(value)
    guard try ExtendedJSONWriter.text(ExtendedJSONReader.parse(text)) == text else {
      throw Finding("written and read again, extended JSON is another: \(text)")
    }
  }

  /// Reads a document of BSON.
  static let bson = FuzzTarget(
    name: "bson", byteCountMax: 1_024,
    run: { input, _ in
      guard let value = try? BSONReader.document(input) else { return .refused }
      try requireSame(value)
      return .read
    },
    seeds: { _ in bsonDocuments })

  /// Decompresses: the first byte says in which framing, the next two how much is announced.
  static let deflate = FuzzTarget(
    name: "deflate", byteCountMax: 1_024,
    run: { input, _ in
      guard input.count > 3 else { return .refused }
      let announced = Int(input[1]) | Int(input[2]) << 8
      let bytes = Array(input.dropFirst(3))
      do throws(CompressionError) {
        switch input[0] % 3 {
        case 0: try requireSame(try Zlib.decompress(bytes, byteCount: announced))
        case 1: try requireSame(try StoredChangesetFraming.decode(bytes))
        default:
          var parts = [bytes][...]
          var reader = GzipReader { parts.popFirst() ?? [] }
          var byteCount = 0
          while byteCount < 1 << 22 {
            let part = try reader.next()
            if part.isEmpty { break }
            byteCount += part.count
          }
        }
        return .read
      } catch { return .refused }
    },
    seeds: { _ in
      let plain = Array("hello hello hello, world of worlds. ".utf8)
      let long = (0..<40).flatMap { [UInt8($0)] + plain }
      return [plain, long, [UInt8](repeating: 9, count: 1_400)].flatMap { bytes in
        let forms = [
          Zlib.compress(bytes), StoredChangesetFraming.encode(bytes), Gzip.compress(bytes),
        ]
        return forms.enumerated().compactMap { number, form -> [UInt8]? in
          var seed = [UInt8(number)]
          seed += [UInt8(truncatingIfNeeded: bytes.count), UInt8(bytes.count >> 8)]
          seed += form
          return seed.count <= 1_024 ? seed : nil
        }
      }
    })

  private static func requireSame(_ plain: [UInt8]) throws(CompressionError) {
    let again = try Zlib.decompress(Zlib.compress(plain), byteCount: plain.count)
    guard again == plain else { throw .badChecksum }
  }

  /// Reads the text of a value: the first byte says as which type.
  static let texts = FuzzTarget(
    name: "texts", byteCountMax: 256,
    run: { input, _ in
      guard let first = input.first else { return .refused }
      let text = String(decoding: input.dropFirst(), as: UTF8.self)
      let types = ColumnType.valueTypes
      switch Int(first) % (types.count + 6) {
      case let index where index < types.count:
        guard let value = ValueText.file.value(text, of: types[index]) else { return .refused }
        guard let spelled = ValueText.file.string(value),
          ValueText.file.value(spelled, of: types[index]) != nil
        else { return .read }
      case types.count: return DateText.date(text) == nil ? .refused : .read
      case types.count + 1: return DecimalText.isDecimal(text) ? .read : .refused
      case types.count + 2: return Base64.decode(text) == nil ? .refused : .read
      case types.count + 3: _ = PercentText.decoded(text)
      case types.count + 4:
        var parser = EventStreamParser()
        return parser.add(Array(input.dropFirst())) == nil ? .refused : .read
      default: return ProtocolVersion.answer(to: text) == nil ? .refused : .read
      }
      return .read
    },
    seeds: { _ in
      valueTexts.flatMap { text in
        (0..<UInt8(ColumnType.valueTypes.count + 6)).map { [$0] + Array(text.utf8) }
      }
    })

  private static let jsonTexts = [
    #"{"a":[1,-2.5e3,"x\u00e9\n",true,null,{"b":{}}]}"#, #"[1e400,-0,"\ud83e\udd9c"]"#,
    #"{"_id":{"$oid":"507f1f77bcf86cd799439011"},"n":{"$numberLong":"9007199254740993"}}"#,
    #"{"d":{"$date":{"$numberLong":"1"}},"b":{"$binary":{"base64":"YWI=","subType":"00"}}}"#,
    #"{"x":{"$numberDecimal":"1.5E+3"},"r":{"$regularExpression":{"pattern":"a","options":"i"}}}"#,
    #"{"t":{"$timestamp":{"t":1,"i":2}},"m":{"$minKey":1},"f":{"$numberDouble":"-Infinity"}}"#,
    #"{"schemaVersion":1,"classes":[{"name":"Dog","kind":"topLevel","primaryKey":"id","#
      + #""properties":[{"name":"id","type":"int","indexed":true},"#
      + #"{"name":"owner","type":"link","target":"Person","nullable":true}]},"#
      + #"{"name":"Person","kind":"embedded","properties":[]}]}"#,
  ]

  private static let bsonDocuments: [[UInt8]] = [
    [5, 0, 0, 0, 0],
    [22, 0, 0, 0, 2, 97, 0, 3, 0, 0, 0, 104, 105, 0, 16, 98, 0, 7, 0, 0, 0, 0],
    [16, 0, 0, 0, 4, 97, 0, 8, 0, 0, 0, 10, 48, 0, 0, 0],
    [20, 0, 0, 0, 7, 97, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0],
    [16, 0, 0, 0, 1, 97, 0, 0, 0, 0, 0, 0, 0, 248, 63, 0],
    [16, 0, 0, 0, 9, 97, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0],
    [15, 0, 0, 0, 5, 97, 0, 2, 0, 0, 0, 0, 1, 2, 0],
    [24, 0, 0, 0, 19, 97, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64, 48, 0],
    [13, 0, 0, 0, 11, 97, 0, 120, 0, 105, 0, 8, 0],
  ]

  private static let valueTexts = [
    "1", "-9223372036854775808", "true", "1.5e3", "NaN", "2020-02-29T12:00:00.5Z",
    "31.12.2024", "2019-01-02 03:04:05 +0000", "507f1f77bcf86cd799439011",
    "3b241101-e2bb-4255-8caf-4136c566a962", "YWI=", "1.5E-30", "%20a%zz",
    "event: x\ndata: {}\n\n", "com.mongodb.realm-query-sync#14, com.mongodb.realm-sync/3-13",
  ]
}
#endif
