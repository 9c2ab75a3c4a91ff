// SPDX-License-Identifier: Apache-2.0

// Studio without sockets: requests as the page would send them.

#if Tools
import Foundation
import RealmFormats
import RealmPages
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStudio

/// A running service over files in a folder of its own.
final class TestStudio: Sendable {
  static let port = 4711

  let directory: TemporaryDirectory
  let service: StudioService

  /// - Parameter make: Makes the file at a path.
  init(
    isWritable: Bool = true, make: (String) throws -> Void = { try SampleFile.makePeople($0) }
  ) async throws {
    directory = try TemporaryDirectory()
    let path = directory.file("sample.realm")
    try make(path)
    var random = SeededGenerator(seed: 1)
    let options = StudioOptions(files: [StudioFile(path: path)], isWritable: isWritable)
    service = try StudioService(options, random: &random)
    try await service.follow()
  }

  var path: String { directory.file("sample.realm") }
  var database: StudioDatabase { service.databases[0] }

  /// A request with the cookie and the headers that a browser sends.
  func request(_ method: String, _ target: String, _ body: JSONValue? = nil) -> PageRequest {
    var headers = [
      "host": "127.0.0.1:\(Self.port)",
      "cookie": "\(service.access.cookieName(Self.port))=\(service.access.token)",
      "sec-fetch-site": "same-origin",
    ]
    if method == "POST" {
      headers["origin"] = "http://127.0.0.1:\(Self.port)"
      headers["content-type"] = "application/json"
    }
    return PageRequest(
      method, target, headers: headers, body: body.map { JSONWriter.bytes($0) } ?? [],
      port: Self.port)
  }

  /// The answer of a request, with its status.
  func send(_ request: PageRequest) async throws -> (status: Int, json: JSONValue) {
    let response = await service.respond(to: request)
    guard case .bytes(let bytes) = response.body else { return (response.status, .null) }
    return (response.status, try JSONParser.parse(bytes))
  }

  /// The answer of a request that succeeds.
  @discardableResult
  func get(
    _ name: String, _ parameters: [String: String] = [:],
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> JSONValue {
    let (status, json) = try await send(request("GET", Self.target(name, parameters)))
    #expect(status == 200, "\(JSONWriter.text(json))", sourceLocation: sourceLocation)
    return json
  }

  @discardableResult
  func post(
    _ name: String, _ body: JSONValue = .object([]),
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> JSONValue {
    let (status, json) = try await send(request("POST", Self.target(name, [:]), body))
    #expect(status == 200, "\(JSONWriter.text(json))", sourceLocation: sourceLocation)
    return json
  }

  /// The status and the failure of a request.
  func failure(_ name: String, _ parameters: [String: String]) async throws -> (Int, JSONValue) {
    let (status, json) = try await send(request("GET", Self.target(name, parameters)))
    return (status, json)
  }

  static func target(_ name: String, _ parameters: [String: String]) -> String {
    var allowed = CharacterSet.alphanumerics
    allowed.insert(charactersIn: "-._~")
    let text = parameters.map { key, value in
      "\(key)=\(value.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")"
    }.joined(separator: "&")
    return "/api/files/0/\(name)?\(text)"
  }

  /// The texts of a column in the rows that a request shows.
  func column(_ name: String, _ parameters: [String: String]) async throws -> [String] {
    let schema = try await get("schema")
    let classes = try #require(schema["classes"]?.array)
    let own = try #require(classes.first { $0["name"]?.string == parameters["class"] })
    let names = try #require(own["properties"]?.array).map { $0["name"]?.string ?? "" }
    let index = try #require(names.firstIndex(of: name))
    let rows = try #require(try await get("rows", parameters)["rows"]?.array)
    return rows.map { Self.text($0["cells"]?.array?[index] ?? .null) }
  }

  /// The text of a cell; the number of elements of a collection.
  static func text(_ cell: JSONValue) -> String {
    cell["n"]?.integer.map { "\($0)" } ?? cell["v"]?.string ?? "null"
  }

  /// One property of an object.
  func value(
    _ property: String, of key: String, class name: String = "Person"
  ) async throws -> JSONValue {
    let schema = try await get("schema")
    let classes = try #require(schema["classes"]?.array)
    let own = try #require(classes.first { $0["name"]?.string == name })
    let names = try #require(own["properties"]?.array).map { $0["name"]?.string ?? "" }
    let index = try #require(names.firstIndex(of: property))
    let object = try await get("object", ["class": name, "key": key])
    return try #require(object["cells"]?.array)[index]
  }

  /// Makes an edit of a person.
  @discardableResult
  func edit(
    _ kind: String, _ key: String, _ property: String, _ value: JSONValue = .null,
    path: [JSONValue] = [], to target: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> JSONValue {
    try await post(
      "edit", Self.edit(kind, key, property, value, path: path, to: target),
      sourceLocation: sourceLocation)
  }

  static func edit(
    _ kind: String, _ key: String, _ property: String, _ value: JSONValue = .null,
    path: [JSONValue] = [], to target: Int? = nil
  ) -> JSONValue {
    .object([
      JSONMember("kind", .string(kind)), JSONMember("class", .string("Person")),
      JSONMember("key", .string(key)), JSONMember("property", .string(property)),
      JSONMember("path", .array(path)), JSONMember("value", value),
      JSONMember("to", target.map { .integer(Int64($0)) } ?? .null),
    ])
  }

  /// The key of the person with a name.
  func key(of name: String) async throws -> String {
    let json = try await get("rows", ["class": "Person", "query": "name == '\(name)'"])
    return try #require(json["rows"]?.array?.first?["key"]?.string)
  }
}

/// A value as the page sends it.
func tagged(_ type: String, _ text: String) -> JSONValue {
  .object([JSONMember("t", .string(type)), JSONMember("v", .string(text))])
}
#endif
