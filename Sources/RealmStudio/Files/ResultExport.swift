// SPDX-License-Identifier: Apache-2.0

// All objects of a result as text, to be copied or saved: values whole, as `realm export` has them.

#if Tools
import RealmQuery
import RealmFormats
import RealmTables
import RealmTools

/// Writes the objects of a listing piece by piece.
struct ResultExport {
  enum Format: String {
    case csv
    case json

    var contentType: String {
      switch self {
      case .csv: "text/csv; charset=utf-8"
      case .json: "application/json"
      }
    }
  }

  /// The objects of one piece.
  static let pieceCount = 500

  private let listing: Listing
  private let table: Table?
  private let columns: [Column]
  private let format: Format
  private let json: ObjectJSON
  private let cells: CellText

  /// - Parameter names: The properties in their order; nil for all.
  init(
    _ listing: Listing, _ format: Format, _ names: [String]?, _ schema: TableSchema,
    in classes: StoredSchema
  ) throws {
    self.listing = listing
    self.format = format
    columns = try names?.map { try schema.required($0) } ?? schema.columns
    table = try classes.reader.readTable(schema.key)
    json = ObjectJSON(classes)
    cells = CellText(classes)
  }

  var count: Int { listing.count }

  /// The text of the objects from a position on; nil behind the end.
  func piece(from start: Int) throws -> String? {
    guard start <= count else { return nil }
    let end = min(start + Self.pieceCount, count)
    var text = start == 0 ? head : ""
    for position in start..<end {
      guard let table, let key = try listing.key(at: position, of: table),
        let row = try table.row(of: key)
      else { continue }
      text += try line(of: row, isFirst: position == 0)
    }
    // The piece behind the last object ends the text.
    if start == count { text += format == .json ? (count == 0 ? "]\n" : "\n]\n") : "" }
    return text
  }

  /// Where the next piece begins.
  func next(after start: Int) -> Int {
    start == count ? count + 1 : min(start + Self.pieceCount, count)
  }

  private var head: String {
    switch format {
    case .csv: CSVText.line(columns.map(\.name)) + "\r\n"
    case .json: "["
    }
  }

  private func line(of row: Row, isFirst: Bool) throws -> String {
    switch format {
    case .csv:
      let texts = try columns.map { try cells.text(try row.value(of: $0), $0) }
      return CSVText.line(texts) + "\r\n"
    case .json:
      let members = try columns.map {
        JSONMember($0.name, try json.json(try row.value(of: $0), $0))
      }
      return (isFirst ? "\n" : ",\n") + JSONWriter.text(.object(members))
    }
  }
}

extension StudioDatabase {
  /// The most objects to copy or save out of an open transaction at a time.
  private static let draftCountMax = 100_000

  var isEditing: Bool { draft != nil }

  /// The text of a result, made piece by piece from the version of this moment.
  func pieces(
    of request: Listing.Request, _ format: ResultExport.Format, _ columns: [String]?
  ) throws -> ResultPieces {
    let classes = try StoredSchema(tables)
    let pieces = ResultPieces(
      database: self, source: tables, listing: try listing(request, in: classes),
      schema: try classes.required(request.className), format: format, columns: columns)
    // Mistakes in the request are failures of its answer.
    _ = try export(pieces)
    return pieces
  }

  private func export(_ pieces: ResultPieces) throws -> ResultExport {
    try ResultExport(
      pieces.listing, pieces.format, pieces.columns, pieces.schema,
      in: StoredSchema(pieces.source))
  }

  fileprivate func piece(
    of pieces: ResultPieces, from start: Int
  ) throws -> (text: String?, next: Int) {
    let export = try export(pieces)
    return (try export.piece(from: start), export.next(after: start))
  }

  /// The text of a result in the open transaction, which may change between two pieces.
  func draftText(
    of request: Listing.Request, _ format: ResultExport.Format, _ columns: [String]?
  ) throws -> String {
    guard isEditing else {
      throw StudioFailure(409, "The transaction has ended.", remedy: "Try again.")
    }
    let classes = try classes()
    let listing = try listing(request, in: classes)
    guard listing.count <= Self.draftCountMax else {
      throw StudioFailure(
        409,
        "While a transaction is open at most \(Self.draftCountMax) objects are copied or saved.",
        remedy: "Commit or cancel first.")
    }
    let schema = try classes.required(request.className)
    let export = try ResultExport(listing, format, columns, schema, in: classes)
    var text = ""
    var start = 0
    while let piece = try export.piece(from: start) {
      text += piece
      start = export.next(after: start)
    }
    return text
  }
}

/// The text of a result in one version, in pieces made on demand.
struct ResultPieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
  fileprivate let database: StudioDatabase
  fileprivate let source: TableGroup
  fileprivate let listing: Listing
  fileprivate let schema: TableSchema
  fileprivate let format: ResultExport.Format
  fileprivate let columns: [String]?
  fileprivate var start = 0

  func makeAsyncIterator() -> ResultPieces { self }

  mutating func next() async throws -> String? {
    let (text, next) = try await database.piece(of: self, from: start)
    start = next
    return text
  }
}
#endif
