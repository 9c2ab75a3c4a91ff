// SPDX-License-Identifier: Apache-2.0

// An app as the tutorials of the former service had them, with an export, a dump and a list of
// users: items that belong to their owners, and profiles that everybody reads.

#if Server
import Foundation
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmTestSupport
import Testing

@testable import RealmServer

/// The files of an app of the former service.
struct TutorialApp {
  static let id = "tasks-abcde"

  let folder: String
  let userCount: Int
  let itemCount: Int

  /// Writes the files below a folder.
  init(in folder: String, userCount: Int, itemCount: Int) throws {
    self.folder = folder
    self.userCount = userCount
    self.itemCount = itemCount
    for (name, text) in Self.export { try write("export/" + name, Array(text.utf8)) }
    let items = (0..<itemCount).map { number in
      #"""
      {"_id":{"$oid":"\#(Self.objectID(1, number))"},"owner_id":"\#(user(number))",\#
      "summary":"item \#(number)","isComplete":\#(number % 3 == 0),\#
      "profile":{"$oid":"\#(Self.objectID(2, number % userCount))"},"done":{"$date":\#
      "2025-01-02T03:04:05Z"}}

      """#
    }
    try write("dump/todo/Item.json.gz", Gzip.compress(Array(items.joined().utf8)))
    let profiles = (0..<userCount).map { number in
      #"""
      {"_id":{"$oid":"\#(Self.objectID(2, number))"},"owner_id":"\#(user(number))",\#
      "name":"User \#(number)"}
      """#
    }
    try write("dump/todo/Profile.json", Array("[\(profiles.joined(separator: ",\n"))]".utf8))
    let users = (0..<userCount).map { number in
      #"""
      {"_id":"\#(user(number))","type":"normal","creation_date":1700000000,\#
      "identities":[{"id":"\#(Self.objectID(4, number))","provider_type":"local-userpass"}],\#
      "data":{"email":"\#(Self.email(number))"}}
      """#
    }
    try write("users.json", Array("[\(users.joined(separator: ","))]".utf8))
  }

  /// Writes a file.
  func write(_ name: String, _ bytes: [UInt8]) throws {
    let file = URL(fileURLWithPath: "\(folder)/\(name)")
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
  }

  private static func objectID(_ kind: Int, _ number: Int) -> String {
    let digits = String(number, radix: 16)
    return "\(kind)" + String(repeating: "0", count: 23 - digits.count) + digits
  }

  /// The id of a user.
  func user(_ number: Int) -> String { Self.objectID(3, number % userCount) }

  static func email(_ number: Int) -> String { "user\(number)@example.org" }

  /// The import of the app.
  var request: ImportRequest {
    var request = ImportRequest(
      export: "\(folder)/export", data: "\(folder)/dump", out: "\(folder)/data")
    request.users = "\(folder)/users.json"
    return request
  }

  /// Carries the command out, and returns what it has shown and answered.
  ///
  /// - Parameter change: Sets options.
  func run(
    _ change: (inout ImportRequest) -> Void = { _ in }
  ) async throws -> (shown: String, answer: String) {
    var request = self.request
    change(&request)
    let shown = Locked("")
    let answer = try await request.answer(
      ask: { true }, show: { text in shown.withLock { $0 += text } })
    return (shown.withLock { $0 }, answer)
  }

  /// The mails in the folder of an app, by their addresses.
  var mails: [String: JSONValue] {
    get throws {
      let outbox = "\(folder)/data/apps/\(Self.id)/outbox"
      var mails: [String: JSONValue] = [:]
      for name in (try? FileManager.default.contentsOfDirectory(atPath: outbox)) ?? [] {
        let bytes = try #require(FileManager.default.contents(atPath: "\(outbox)/\(name)"))
        let mail = try JSONParser.parse(Array(bytes))
        mails[mail["email"]?.string ?? ""] = mail
      }
      return mails
    }
  }

  private static let export = [
    "root_config.json": #"{"app_id":"tasks-abcde","name":"tasks","config_version":20210101}"#,
    "auth/providers.json": #"""
    {"local-userpass":{"name":"local-userpass","type":"local-userpass","disabled":false,
      "config":{"autoConfirm":true,"resetPasswordUrl":"https://tasks.example.org/reset"}}}
    """#,
    "data_sources/mongodb-atlas/config.json": #"""
    {"name":"mongodb-atlas","type":"mongodb-atlas","config":{"clusterName":"Cluster0"}}
    """#,
    "data_sources/mongodb-atlas/default_rule.json": #"""
    {"roles":[{"name":"owner","apply_when":{},
      "document_filters":{"read":{"owner_id":"%%user.id"},"write":{"owner_id":"%%user.id"}},
      "read":true,"write":true,"insert":true,"delete":true,"search":true}]}
    """#,
    "data_sources/mongodb-atlas/todo/Item/schema.json": #"""
    {"title":"Item","bsonType":"object","required":["_id","owner_id","summary","isComplete"],
     "properties":{"_id":{"bsonType":"objectId"},"owner_id":{"bsonType":"string"},
       "summary":{"bsonType":"string"},"isComplete":{"bsonType":"bool"},
       "profile":{"bsonType":"objectId"},"done":{"bsonType":"date"}}}
    """#,
    "data_sources/mongodb-atlas/todo/Item/relationships.json": #"""
    {"profile":{"ref":"#/relationship/mongodb-atlas/todo/Profile","foreign_key":"_id",
      "is_list":false}}
    """#,
    "data_sources/mongodb-atlas/todo/Profile/schema.json": #"""
    {"title":"Profile","bsonType":"object","required":["_id","owner_id","name"],
     "properties":{"_id":{"bsonType":"objectId"},"owner_id":{"bsonType":"string"},
       "name":{"bsonType":"string"}}}
    """#,
    "data_sources/mongodb-atlas/todo/Profile/rules.json": #"""
    {"roles":[{"name":"all","apply_when":{},"document_filters":{"read":true,"write":false},
      "read":true}]}
    """#,
    "sync/config.json": #"""
    {"type":"flexible","state":"enabled","service_name":"mongodb-atlas","database_name":"todo",
     "queryable_fields_names":["owner_id"]}
    """#,
    "functions/config.json": #"[{"name":"greet"}]"#,
  ]
}
#endif
