// SPDX-License-Identifier: Apache-2.0

// Answers to requests: the page, and the files as JSON. Documentation/Studio.md has the table of
// addresses.

#if Tools
import RealmFormats
import RealmTables

/// Answers the requests of the page, as a function of values.
struct StudioService: Sendable {
  /// The longest query of the query bar.
  static let queryLengthMax = 8_192
  /// The longest body of a request.
  static let bodyByteCountMax = 1 << 20

  let access: AccessGuard
  let databases: [StudioDatabase]
  let events: EventHub
  private let page: PageFiles

  /// Opens the files.
  init(_ options: StudioOptions, random: inout some RandomNumberGenerator) throws(StudioFailure) {
    access = AccessGuard(random: &random)
    let events = EventHub()
    self.events = events
    page = PageFiles()
    do {
      databases = try options.files.enumerated().map { number, file in
        try StudioDatabase(file, number: number, isWritable: options.isWritable, events: events)
      }
    } catch { throw StudioFailure(error) }
  }

  /// Begins to report the commits of other programs.
  func follow() async throws {
    do { for database in databases { try await database.follow() } } catch {
      throw StudioFailure(error)
    }
  }

  /// Cancels open transactions and ends the streams of events.
  func end() async {
    for database in databases { _ = try? await database.cancel() }
    events.finish()
  }

  // MARK: - Requests

  func respond(to request: StudioRequest) async -> StudioResponse {
    do {
      try access.check(request)
      guard request.body.count <= Self.bodyByteCountMax else {
        throw StudioFailure(413, "The request has more than \(Self.bodyByteCountMax) bytes.")
      }
      switch request.method {
      case "GET": return try await read(request)
      case "POST": return StudioResponse(try await write(request))
      default: throw StudioFailure(405, "Only GET and POST are understood.")
      }
    } catch {
      let failure = StudioFailure(error, in: request.parameters["query"] ?? "")
      return request.path == "/" && request.method == "GET"
        ? .page(failure) : StudioResponse(failure)
    }
  }

  private func read(_ request: StudioRequest) async throws -> StudioResponse {
    if request.path == "/api/files" {
      return StudioResponse(.array(databases.map(\.json)))
    }
    if request.path == "/api/events" {
      return StudioResponse(contentType: "text/event-stream", body: .events(events.subscribe()))
    }
    if request.path.hasPrefix("/api/files/"), request.path.hasSuffix("/result") {
      return try await result(request)
    }
    if request.path.hasPrefix("/api/") { return StudioResponse(try await readFile(request)) }
    guard var response = page.response(request.path) else {
      throw StudioFailure(404, "There is no '\(request.path.prefix(100))'.")
    }
    if request.path == "/" {
      let name = AccessGuard.cookieName(request.port)
      response.headers.append(
        ("Set-Cookie", "\(name)=\(access.token); Path=/; HttpOnly; SameSite=Strict"))
    }
    return response
  }

  /// All objects of a result, as CSV or JSON.
  private func result(_ request: StudioRequest) async throws -> StudioResponse {
    let (database, _) = try target(request)
    guard let format = ResultExport.Format(rawValue: request.parameters["format"] ?? "json") else {
      throw StudioFailure.malformed("format", "csv or json")
    }
    let wanted = try listing(request)
    var columns: [String]?
    if let text = request.parameters["columns"] {
      guard let json = try? JSONParser.parse(Array(text.utf8)), let names = json.array else {
        throw StudioFailure.malformed("columns", "the names of properties, as an array of JSON")
      }
      columns = names.compactMap(\.string)
    }
    let body: StudioResponse.Body
    if await database.isEditing {
      body = .bytes(Array(try await database.draftText(of: wanted, format, columns).utf8))
    } else {
      body = .pieces(try await database.pieces(of: wanted, format, columns))
    }
    var response = StudioResponse(contentType: format.contentType, body: body)
    let name = wanted.className.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
    response.headers.append(
      ("Content-Disposition", "attachment; filename=\"\(name).\(format.rawValue)\""))
    return response
  }

  private func readFile(_ request: StudioRequest) async throws -> JSONValue {
    let (database, name) = try target(request)
    switch name {
    case "schema": return try await database.schema()
    case "rows":
      let start = try request.number("start", in: 0...Int(Int32.max), otherwise: 0)
      let count = try request.number(
        "count", in: 0...StudioDatabase.windowCountMax, otherwise: 100)
      return try await database.rows(try listing(request), from: start, count: count)
    case "position": return try await database.position(of: key(request), in: listing(request))
    case "object":
      return try await database.object(key(request), ofClass: request.required("class"))
    case "elements":
      return try await database.elements(
        of: request.required("property"), key(request), ofClass: request.required("class"),
        from: request.number("start", in: 0...Int(Int32.max), otherwise: 0))
    case "histogram":
      let bins = try request.number("bins", in: 1...StudioDatabase.binCountMax, otherwise: 40)
      return try await database.histogram(
        of: request.required("property"), in: listing(request), bins: bins)
    default: throw StudioFailure(404, "There is no '\(request.path.prefix(100))'.")
    }
  }

  private func write(_ request: StudioRequest) async throws -> JSONValue {
    let (database, name) = try target(request)
    guard database.isWritable else { throw StudioDatabase.readOnly }
    switch name {
    case "begin": return try await database.begin()
    case "undo": return try await database.undo()
    case "redo": return try await database.redo()
    case "commit": return try await database.commit()
    case "cancel": return try await database.cancel()
    case "edit":
      let json: JSONValue
      do throws(JSONError) { json = try JSONParser.parse(request.body) } catch {
        throw StudioFailure(400, "The edit is no JSON: \(error).")
      }
      return try await database.edit(try EditCommand(json))
    default: throw StudioFailure(404, "There is no '\(request.path.prefix(100))'.")
    }
  }

  // MARK: - Parts of requests

  /// The file of `/api/files/NUMBER/NAME`, and the name.
  private func target(_ request: StudioRequest) throws(StudioFailure) -> (StudioDatabase, String) {
    let parts = request.path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 5, parts[1] == "api", parts[2] == "files", let number = Int(parts[3]),
      databases.indices.contains(number)
    else { throw StudioFailure(404, "There is no '\(request.path.prefix(100))'.") }
    return (databases[number], String(parts[4]))
  }

  private func key(_ request: StudioRequest) throws(StudioFailure) -> ObjectKey {
    guard let number = Int64(try request.required("key")) else {
      throw .malformed("key", "the number of an object's key")
    }
    return ObjectKey(number)
  }

  private func listing(_ request: StudioRequest) throws(StudioFailure) -> Listing.Request {
    let query = request.parameters["query"] ?? ""
    guard query.utf8.count <= Self.queryLengthMax else {
      throw StudioFailure(400, "The query has more than \(Self.queryLengthMax) bytes.")
    }
    return Listing.Request(
      className: try request.required("class"), query: query,
      sort: request.parameters["sort"],
      isDescending: request.parameters["descending"] == "true")
  }
}
#endif
