// SPDX-License-Identifier: Apache-2.0

// Dumps of other databases, and exports of apps of another service.

#if Tools && Server
import RealmFormats
import RealmServerServices
import RealmTestSupport

extension FuzzTarget {
  /// The most documents that are read of a dump.
  private static let documentCountMax = 1_000

  /// Reads a dump, or plans the import of an app: the first byte says in which form.
  static let dump = FuzzTarget(
    name: "dump", byteCountMax: 2_048,
    run: { input, _ in
      guard let first = input.first else { return .refused }
      let bytes = Array(input.dropFirst())
      do throws(ImportError) {
        switch first % 4 {
        case 0: return try read(InputFiles(["dump/db/Item.bson": bytes]))
        case 1: return try read(InputFiles(["dump/db/Item.json": bytes]))
        case 2: return try read(InputFiles(["dump": bytes]))
        default: break
        }
      } catch { return .refused }
      return try plan(bytes)
    },
    seeds: { _ in
      [
        [[0] + bsonDocument, [0] + bsonDocument + bsonDocument, [0] + Gzip.compress(bsonDocument)],
        jsonTexts.map { [1] + Array($0.utf8) }, [[2] + archive],
        [[3] + JSONWriter.bytes(.object(export.map { JSONMember($0, .string($1)) }))],
      ].flatMap { $0 }
    })

  private static func read(_ files: InputFiles) throws(ImportError) -> Outcome {
    var count = 0
    for source in try DumpSource.all(at: "dump", in: files) {
      let reader = try source.reader(in: files)
      while count < documentCountMax, let document = try reader.next() {
        // What is damaged can be left out.
        _ = try? document.value()
        count += 1
      }
    }
    return .read
  }

  /// Plans the import of an app whose files are the texts of an object.
  private static func plan(_ bytes: [UInt8]) throws -> Outcome {
    guard case .object(let members)? = try? JSONParser.parse(bytes) else { return .refused }
    var contents = ["dump/todo/Item.json": [UInt8]()]
    for member in members {
      contents["app/" + member.key] = Array((member.value.string ?? "").utf8)
    }
    let plan: AppImportPlan
    do throws(ImportError) {
      plan = try AppImportPlan("app", data: "dump", in: InputFiles(contents))
    } catch { return .refused }
    _ = plan.text
    guard let text = try? plan.app.text(), try AppFile(Array(text.utf8)) == plan.app else {
      throw Finding("the planned app has another file: \(JSONWriter.text(plan.app.json))")
    }
    return .read
  }

  // MARK: Seeds

  /// `{_id: 1, t: "hi", a: [null]}`
  private static let bsonDocument: [UInt8] =
    [37, 0, 0, 0, 16, 95, 105, 100, 0, 1, 0, 0, 0, 2, 116, 0, 3, 0, 0, 0, 104, 105, 0]
    + [4, 97, 0, 8, 0, 0, 0, 10, 48, 0, 0, 0, 0, 0]

  private static let jsonTexts = [
    #"{"_id":{"$oid":"507f1f77bcf86cd799439011"},"n":{"$numberLong":"1"}}"# + "\n"
      + #"{"_id":1,"d":{"$date":"2020-01-01T00:00:00Z"}}"# + "\n",
    #"[{"_id":1},{"_id":"x","a":[1,{"b":null}]}]"#,
  ]

  /// A document of BSON whose elements have these bytes.
  private static func document(_ elements: [UInt8]) -> [UInt8] {
    let count = elements.count + 5
    return [UInt8(count & 0xFF), UInt8(count >> 8), 0, 0] + elements + [0]
  }

  private static func text(_ name: String, _ value: String) -> [UInt8] {
    [2] + Array(name.utf8) + [0, UInt8(value.utf8.count + 1), 0, 0, 0] + Array(value.utf8) + [0]
  }

  /// An archive of one collection with one document.
  private static var archive: [UInt8] {
    let end: [UInt8] = [255, 255, 255, 255]
    let names = text("db", "db") + text("collection", "Item")
    let header = document(names + [8] + Array("EOF".utf8) + [0, 0])
    // Without a checksum, which no change of the documents would fit.
    let last = document(names + [8] + Array("EOF".utf8) + [0, 1])
    var bytes: [UInt8] = [0x6D, 0xE2, 0x99, 0x81]
    bytes += document(text("version", "0.1"))
    bytes += document(names + text("metadata", "{}")) + end
    bytes += header + document([16, 97, 0, 1, 0, 0, 0]) + end
    return bytes + last + end
  }

  private static let export = [
    "root_config.json": #"{"app_id":"tasks-abcde","name":"tasks","environment":"production"}"#,
    "auth/providers.json": #"{"anon-user":{"type":"anon-user","disabled":false}}"#,
    "auth/custom_user_data.json":
      #"{"enabled":true,"database_name":"todo","collection_name":"P","user_id_field":"o"}"#,
    "data_sources/m/config.json": #"{"name":"m","type":"mongodb-atlas","config":{}}"#,
    "data_sources/m/default_rule.json":
      #"{"roles":[{"name":"o","apply_when":{},"document_filters":{"read":{"o":"%%user.id"},"#
      + #""write":true},"read":true,"write":true,"insert":true,"delete":true}]}"#,
    "data_sources/m/todo/Item/schema.json":
      #"{"title":"Item","required":["_id"],"properties":{"_id":{"bsonType":"objectId"},"#
      + #""t":{"bsonType":"array","items":{"bsonType":"string"}},"#
      + #""p":{"title":"Place","bsonType":"object","properties":{"s":{"bsonType":"string"}}}}}"#,
    "data_sources/m/todo/Item/relationships.json":
      ##"{"t":{"ref":"#/relationship/m/todo/Item","foreign_key":"_id","is_list":true}}"##,
    "sync/config.json":
      #"{"type":"flexible","state":"enabled","service_name":"m","database_name":"todo"}"#,
  ].sorted { $0.key < $1.key }
}

/// Files in memory for an import.
private struct InputFiles: ImportFiles {
  private let contents: [String: [UInt8]]

  init(_ contents: [String: [UInt8]]) { self.contents = contents }

  func entries(of folder: String) -> [ImportEntry]? {
    var found: [String: ImportEntry] = [:]
    for (path, bytes) in contents where path.hasPrefix(folder + "/") {
      let rest = path.dropFirst(folder.count + 1)
      let name = String(rest.prefix { $0 != "/" })
      found[name] = ImportEntry(name, isFolder: rest.contains("/"), byteCount: bytes.count)
    }
    return found.isEmpty ? nil : found.values.sorted { $0.name < $1.name }
  }

  func content(of path: String) -> [UInt8]? { contents[path] }

  func open(_ path: String) throws(ImportError) -> any ImportInput {
    guard let bytes = contents[path] else { throw ImportError("There is no file \(path).") }
    return Input(bytes)
  }

  /// Gives a few bytes at a time, so that texts and lengths are cut.
  private final class Input: ImportInput {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var byteCount: Int { bytes.count }

    func next() -> [UInt8] {
      let end = min(bytes.count, position + 97)
      defer { position = end }
      return Array(bytes[position..<end])
    }
  }
}
#endif
