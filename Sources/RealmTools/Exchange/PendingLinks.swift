// SPDX-License-Identifier: Apache-2.0

// Links of an unfinished import to later objects, kept in the file itself.

#if Tools
import RealmFormats
import RealmTables

/// The table of the waiting links; apps do not see it.
enum PendingLinks {
  /// A property with such a link.
  struct Link {
    let className: String
    let key: ObjectKey
    let field: ImportRecord.Field
  }

  private static let layout = RecordLayout(
    "realm_import_links",
    [
      RecordField("class", .string), RecordField("object", .int),
      RecordField("property", .string), RecordField("value", .string),
      RecordField("isText", .bool), RecordField("line", .int),
      RecordField("column", .int, isNullable: true), RecordField("file", .string, isNullable: true),
    ])

  static func add(_ links: [Link], to group: WriteGroup) throws {
    guard !links.isEmpty else { return }
    let table = try layout.find(in: group) ?? layout.make(in: group)
    for link in links {
      let (row, field) = (try table.create(), link.field)
      try row.set(link.className, "class")
      try row.set(link.key.rawValue, "object")
      try row.set(field.name, "property")
      try row.set(JSONWriter.text(field.value), "value")
      try row.set(.bool(field.isText), "isText")
      try row.set(clamping: field.line, "line")
      try row.set(field.column.map { Int64($0) }, "column")
      try row.set(field.file ?? field.tableRow?.text, "file")
    }
  }

  static func read(from group: WriteGroup) throws -> [Link] {
    var links: [Link] = []
    var rows = try layout.find(in: group)?.records()
    while let row = try rows?.next() {
      let field = ImportRecord.Field(
        name: try row.text("property"), value: try JSONParser.parse(try row.text("value")),
        isText: try row.value("isText") == .bool(true), line: Int(try row.integer("line")),
        column: try row.optionalInteger("column").map { Int($0) },
        file: try row.optionalText("file"))
      let key = ObjectKey(try row.integer("object"))
      links.append(Link(className: try row.text("class"), key: key, field: field))
    }
    return links
  }

  static func remove(from group: WriteGroup) throws { try layout.remove(from: group) }
}
#endif
