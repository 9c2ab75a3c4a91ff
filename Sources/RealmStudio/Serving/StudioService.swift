// SPDX-License-Identifier: Apache-2.0

// Answers to requests: the page, and the files as JSON. Documentation/Studio.md has the table of
// addresses.

#if Tools
import RealmFormats
import RealmPages
import RealmTables

/// Answers the requests of the page, as a function of values.
struct StudioService: PageService {
  /// The longest query of the query bar.
  static let queryLengthMax = 8_192

  let access: PageGuard
  let bodyByteCountMax = 1 << 20
  let databases: [StudioDatabase]
  let events: EventHub
  private let page = PageFiles(pageTexts)

  /// Opens the files.
  init(_ options: StudioOptions, random: inout some RandomNumberGenerator) throws(StudioFailure) {
    access = PageGuard(name: "studio", command: "realm studio", random: &random)
    let events = EventHub()
    self.events = events
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

  func answer(_ request: PageRequest) async -> PageResponse {
    do {
      switch request.method {
      case "GET": return try await read(request)
      case "POST": return PageResponse(try await write(request))
      default: throw StudioFailure(405, "Only GET and POST are understood.")
      }
    } catch {
      return response(StudioFailure(error, in: request.parameters["query"] ?? ""), request)
    }
  }

  func refuse(_ request: PageRequest, _ failure: PageFailure) -> PageResponse {
    response(StudioFailure(failure), request)
  }

  private func response(_ failure: StudioFailure, _ request: PageRequest) -> PageResponse {
    request.path.isEmpty && request.method == "GET" ? .page(failure) : PageResponse(failure)
  }

  private func read(_ request: PageRequest) async throws -> PageResponse {
    switch request.path {
    case ["api", "files"]: return PageResponse(.array(databases.map(\.json)))
    case ["api", "events"]:
      return PageResponse(contentType: "text/event-stream", body: .events(events.subscribe()))
    case let path where path.first == "api":
      return path.last == "result"
        ? try await result(request) : PageResponse(try await readFile(request))
    default: break
    }
    guard var response = page.response(request.path) else { throw Self.unknown(request) }
    if request.path.isEmpty { response.headers.append(access.cookie(request.port)) }
    return response
  }

  private static func unknown(_ request: PageRequest) -> StudioFailure {
    StudioFailure(404, "There is no '\(request.pathText.prefix(100))'.")
  }

  /// All objects of a result, as CSV or JSON.
  private func result(_ request: PageRequest) async throws -> PageResponse {
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
    let body: PageResponse.Body
    if await database.isEditing {
      body = .bytes(Array(try await database.draftText(of: wanted, format, columns).utf8))
    } else {
      body = .pieces(try await database.pieces(of: wanted, format, columns))
    }
    var response = PageResponse(contentType: format.contentType, body: body)
    let name = wanted.className.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
    response.headers.append(
      ("Content-Disposition", "attachment; filename=\"\(name).\(format.rawValue)\""))
    return response
  }

  private func readFile(_ request: PageRequest) async throws -> JSONValue {
    let (database, name) = try target(request)
    switch name {
    case "schema": return try await database.schema()
    case "statistics": return try await database.statistics()
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
    case "facet":
      return try await database.facet(of: request.required("property"), in: listing(request))
    case "salvageable": return try await database.salvageable()
    default: throw Self.unknown(request)
    }
  }

  private func write(_ request: PageRequest) async throws -> JSONValue {
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
    default: throw Self.unknown(request)
    }
  }

  // MARK: - Parts of requests

  /// The file of `/api/files/NUMBER/NAME`, and the name.
  private func target(_ request: PageRequest) throws(StudioFailure) -> (StudioDatabase, String) {
    let parts = request.path
    guard parts.count == 4, parts[0] == "api", parts[1] == "files", let number = Int(parts[2]),
      databases.indices.contains(number)
    else { throw Self.unknown(request) }
    return (databases[number], parts[3])
  }

  private func key(_ request: PageRequest) throws(StudioFailure) -> ObjectKey {
    guard let number = Int64(try request.required("key")) else {
      throw .malformed("key", "the number of an object's key")
    }
    return ObjectKey(number)
  }

  private func listing(_ request: PageRequest) throws(StudioFailure) -> Listing.Request {
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
