// SPDX-License-Identifier: Apache-2.0

// The objects of an app for the server's page: as the operator has them, and as a user sees
// them.

#if Server
import RealmDeclarations
import RealmFormats
import RealmPages
import RealmServerEngine
import RealmServerServices
import RealmSyncProtocol

/// Reads and changes objects by the calls of collections, which have the rights of a user or all.
struct AdminData {
  /// The wish of the page.
  struct Request {
    let className: String
    /// The condition of a call of collections; empty for all objects.
    let filter: BSONValue
    /// The user whose view is shown, too.
    let user: String?
    let start: Int64
  }

  /// The most objects of an answer.
  static let objectCountMax = 50
  /// The longest text of a filter.
  static let filterByteCountMax = 4 << 10
  /// Calls name a database; the server has one.
  private static let database = BSONElement("database", .string("app"))

  let app: ServedApp
  let documents: DocumentService
  let reader: AdminReader
  let options: ServerOptions

  init(_ app: ServedApp, _ reader: AdminReader, _ options: ServerOptions) throws(PageFailure) {
    guard let documents = app.api.documents else {
      throw PageFailure(404, "The app has no collections.")
    }
    (self.app, self.documents, self.reader, self.options) = (app, documents, reader, options)
  }

  /// The classes with a key, whose objects are documents, with their properties.
  static func classes(of app: ServedApp) -> JSONValue {
    .array(
      app.schema.schema.declared.classes.filter { $0.primaryKey != nil }.map { declared in
        [
          "name": .string(declared.name), "primaryKey": JSONValue(declared.primaryKey),
          "properties": .array(declared.properties.map { .string($0.name) }),
        ]
      })
  }

  /// Some objects, each with a mark for the named user.
  func objects(_ request: Request) async throws(PageFailure) -> JSONValue {
    // One more shows that there are others.
    let found = try await call(
      "aggregate",
      [
        BSONElement("collection", .string(request.className)),
        BSONElement(
          "pipeline",
          .array([
            .document([BSONElement("$match", request.filter)]),
            .document([BSONElement("$skip", .int64(request.start))]),
            .document([BSONElement("$limit", .int64(Int64(Self.objectCountMax) + 1))]),
          ])),
      ], user: nil)
    let objects = Array(found.prefix(Self.objectCountMax))
    var members = [
      JSONMember("start", .integer(request.start)),
      JSONMember("more", .bool(found.count > objects.count)),
    ]
    guard let user = request.user else {
      let rows = objects.map { (object) -> JSONValue in
        ["document": ExtendedJSONWriter.json(object), "seen": .null, "hidden": .array([])]
      }
      return .object(members + [JSONMember("objects", .array(rows)), JSONMember("rules", .null)])
    }
    let rules = try await AdminRules(app: app, reader: reader, options: options).explanation(
      of: request.className, for: user, by: try await reader.file(of: app.file.id))
    let seen = try await view(of: objects, request, user: user)
    let rows = objects.map { (object) -> JSONValue in
      let view = object["_id"].flatMap { seen[$0] }
      let hidden = view.map { view in Self.names(of: object).filter { view[$0] == nil } } ?? []
      return [
        "document": ExtendedJSONWriter.json(object), "seen": .bool(view != nil),
        "hidden": .array(hidden.map { .string($0) }),
      ]
    }
    members += [JSONMember("objects", .array(rows)), JSONMember("rules", .string(rules))]
    return .object(members)
  }

  private static func names(of object: BSONValue) -> [String] {
    guard case .document(let elements) = object else { return [] }
    return elements.map(\.key)
  }

  /// Some objects as a user sees them, by their keys.
  private func view(
    of objects: [BSONValue], _ request: Request, user: String
  ) async throws(PageFailure) -> [BSONValue: BSONValue] {
    let keys = objects.compactMap { $0["_id"] }
    let isOne = BSONValue.document([
      BSONElement("_id", .document([BSONElement("$in", .array(keys))]))
    ])
    let found = try await call(
      "find",
      [
        BSONElement("collection", .string(request.className)),
        BSONElement(
          "query", .document([BSONElement("$and", .array([request.filter, isOne]))])),
      ], user: user)
    var seen: [BSONValue: BSONValue] = [:]
    for object in found { if let key = object["_id"] { seen[key] = object } }
    return seen
  }

  // MARK: Changes

  /// Carries a change out, as every program of the app would.
  func carryOut(_ edit: AdminEdit) async throws(PageFailure) -> JSONValue {
    let result: BSONValue
    do throws(DocumentError) {
      result = try await documents.call(
        edit.call, [.document([Self.database] + edit.arguments)], user: edit.user)
    } catch {
      if case .notPermitted(let text) = error { throw PageFailure(403, text) }
      throw Self.failure(error)
    }
    if let count = edit.count, result[count] == .int32(0) {
      throw PageFailure(
        404,
        edit.user == nil
          ? "There is no such object."
          : "There is no such object, or the user does not see it.")
    }
    return ["done": true]
  }

  // MARK: Calls

  private func call(
    _ name: String, _ arguments: [BSONElement], user: String?
  ) async throws(PageFailure) -> [BSONValue] {
    do throws(DocumentError) {
      let result = try await documents.call(
        name, [.document([Self.database] + arguments)], user: user)
      guard case .array(let objects) = result else { return [] }
      return objects
    } catch {
      // The role allows no reading.
      if case .notPermitted = error, user != nil { return [] }
      throw Self.failure(error)
    }
  }

  private static func failure(_ error: DocumentError) -> PageFailure {
    if case .store(let cause) = error {
      return PageFailure(500, "The realm cannot be used: \(cause)")
    }
    return PageFailure(400, "\(error)")
  }
}
#endif
