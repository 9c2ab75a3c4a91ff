// SPDX-License-Identifier: Apache-2.0

// Random schemas and documents, exported in every form, imported, and read again.

#if Server
import RealmFormats
import RealmTestSupport
import RealmText
import TestExtensions
import Testing

@testable import RealmServerServices

struct RandomImportTests {
  /// A random schema, and documents that fit it.
  private struct Model {
    private static let scalars = [
      "int", "long", "double", "bool", "string", "date", "objectId", "uuid", "binData", "decimal",
      "mixed",
    ]

    var random: SeededGenerator
    private(set) var schema: JSONValue = .null
    /// The types of the properties, with their forms.
    private var fields: [(name: String, type: String, form: Form, isRequired: Bool)] = []
    private var embedded: [(name: String, type: String)] = []
    private let keyType: String

    private enum Form: CaseIterable {
      case single, list, set, dictionary, embedded, embeddedList
    }

    init(seed: UInt64) {
      random = SeededGenerator(seed: seed)
      keyType = random.pick(["objectId", "string", "long", "uuid"])
      for number in 0..<1 + random.number(below: 4) {
        embedded.append(("e\(number)", random.pick(Self.scalars)))
      }
      for number in 0..<3 + random.number(below: 10) {
        let form = random.pick(Form.allCases)
        let type = random.pick(Self.scalars)
        fields.append(("f\(number)", type, form, form == .single && random.percent(40)))
      }
      schema = makeSchema()
    }

    private func makeSchema() -> JSONValue {
      func type(_ name: String) -> JSONValue { ["bsonType": .string(name)] }
      let inner: JSONValue = [
        "title": "Inner", "bsonType": "object",
        "properties": .object(embedded.map { JSONMember($0.name, type($0.type)) }),
      ]
      let members = fields.map { field in
        let json: JSONValue =
          switch field.form {
          case .single: type(field.type)
          case .list: ["bsonType": "array", "items": type(field.type)]
          case .set: ["bsonType": "array", "uniqueItems": true, "items": type(field.type)]
          case .dictionary: ["bsonType": "object", "additionalProperties": type(field.type)]
          case .embedded: inner
          case .embeddedList: ["bsonType": "array", "items": inner]
          }
        return JSONMember(field.name, json)
      }
      let required = ["_id"] + fields.filter(\.isRequired).map(\.name)
      return [
        "title": "Thing", "bsonType": "object",
        "required": .array(required.map { .string($0) }),
        "properties": .object([JSONMember("_id", type(keyType))] + members),
      ]
    }

    // MARK: Documents

    mutating func documents(_ count: Int) -> [BSONValue] {
      (0..<count).map { number in
        var elements = [BSONElement("_id", key(number))]
        for field in fields where field.isRequired || random.percent(70) {
          elements.append(BSONElement(field.name, value(field.type, field.form)))
        }
        return .document(elements)
      }
    }

    private func key(_ number: Int) -> BSONValue {
      switch keyType {
      case "objectId": .objectID(ObjectIDBits(high: 7, low: UInt32(number)))
      case "uuid": .uuid(UUIDBits(high: 9, low: UInt64(number)))
      case "long": .int64(Int64(number))
      default: .string("key \(1_000 + number)")
      }
    }

    private mutating func value(_ type: String, _ form: Form) -> BSONValue {
      let count = random.number(below: 4)
      switch form {
      case .single: return scalar(type)
      case .list: return .array((0..<count).map { _ in scalar(type) })
      case .set:
        // A set has no collections.
        return .array(random.percent(70) ? [scalar(type == "mixed" ? "string" : type)] : [])
      case .dictionary:
        return .document((0..<count).map { BSONElement("k\($0)", scalar(type)) })
      case .embedded: return inner()
      case .embeddedList: return .array((0..<count).map { _ in inner() })
      }
    }

    private mutating func inner() -> BSONValue {
      var elements: [BSONElement] = []
      for field in embedded where random.percent(70) {
        elements.append(BSONElement(field.name, scalar(field.type)))
      }
      return .document(elements)
    }

    private mutating func scalar(_ type: String) -> BSONValue {
      let number = Int64(truncatingIfNeeded: random.next() >> UInt64(random.number(below: 60)))
      switch type {
      case "int": return .int32(Int32(truncatingIfNeeded: number))
      case "long": return .int64(number)
      case "double": return .double(Double(Int32(truncatingIfNeeded: number)) / 8)
      case "bool": return .bool(number & 1 == 0)
      case "string": return .string(random.text())
      case "date": return .date(unixMilliseconds: number % 4_000_000_000_000)
      case "objectId":
        return .objectID(
          ObjectIDBits(high: random.next(), low: UInt32(truncatingIfNeeded: number)))
      case "uuid": return .uuid(UUIDBits(high: random.next(), low: random.next()))
      case "binData": return .binary(subtype: 0, bytes: random.data(random.number(below: 9)))
      case "decimal": return .decimal("\(number % 1_000_000).\(random.number(below: 90) + 10)")
      default:
        return random.percent(30)
          ? .array([.int64(number), .string("deep")])
          : scalar(random.pick(["long", "string", "bool", "double", "date", "objectId"]))
      }
    }
  }

  private static func add(
    _ documents: [BSONValue], as form: Int, to files: inout MemoryFiles
  ) {
    let bson = documents.flatMap(DumpWriter.bson)
    let archive = DumpWriter.archive([(DumpNamespace("db", "things"), documents)])
    switch form {
    case 0: files["dump/db/things.bson"] = bson
    case 1: files["dump/db/things.bson.gz"] = Gzip.compress(bson)
    case 2: files["dump/all.archive"] = archive
    case 3: files["dump/all.archive.gz"] = Gzip.compress(archive)
    default:
      let forms = DumpWriter.JSONForm.allCases
      files["dump/db/things.json"] = DumpWriter.json(documents, forms[form - 4])
    }
  }

  /// What the service reads equals what was exported. Sets, and documents without order, are
  /// compared as such.
  @Test(.heavy) func whatIsReadEqualsWhatWasExported() async throws {
    for seed in 1...40 as ClosedRange<UInt64> {
      var model = Model(seed: seed)
      let documents = model.documents(1 + model.random.number(below: 30))
      let form = Int(seed) % 8
      let bench = try ImportBench()
      bench.files = MemoryFiles(blockByteCount: 1 + model.random.number(below: 3_000))
      bench.files.add([
        "app/root_config.json": #"{"app_id":"random-aaaaa","name":"random"}"#,
        "app/data_sources/mongodb-atlas/config.json":
          #"{"name":"mongodb-atlas","type":"mongodb-atlas","config":{}}"#,
        "app/data_sources/mongodb-atlas/db/things/schema.json": JSONWriter.text(model.schema),
      ])
      Self.add(documents, as: form, to: &bench.files)
      bench.options.groupCount = 1 + model.random.number(below: 12)
      let report = try await bench.run()
      expectEqual(report.rejectedCount, 0, "seed \(seed): \(report.text)")
      expectTrue(report.unknownFields.isEmpty, "seed \(seed): \(report.text)")
      let found = try await bench.documents("Thing")
      expectEqual(found.count, documents.count, "seed \(seed)")
      for (found, document) in zip(found, documents) {
        for element in document.elements ?? [] {
          let value = found[element.key] ?? .null
          expectEqual(
            BSONOrder.normal(value), BSONOrder.normal(element.value),
            "seed \(seed), form \(form), \(element.key) of \(DocumentBench.text(document))")
        }
      }
    }
  }
}
#endif
