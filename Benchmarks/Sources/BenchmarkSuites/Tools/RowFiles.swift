// SPDX-License-Identifier: Apache-2.0

// The files that are imported.

import BenchmarkSupport
import Foundation

/// The rows of the benchmarks as files.
struct RowFiles {
  let csv: URL
  let json: URL
  /// The objects of `json` as the elements of one array.
  let jsonArray: URL

  /// Writes the files.
  init(_ data: BenchmarkData, in folder: URL) throws {
    csv = folder.appending(path: "rows.csv")
    json = folder.appending(path: "rows.json")
    try Self.write(to: csv) { write in
      try write("id,name,owner,status,priority,score,isDone\n")
      for row in data.rows {
        try write(
          "\(row.id),\(row.name),\(row.owner),\(row.status),\(row.priority),\(row.score),"
            + "\(row.isDone)\n")
      }
    }
    jsonArray = folder.appending(path: "rows-array.json")
    try Self.write(to: json) { write in
      for row in data.rows { try write(Self.object(row) + "\n") }
    }
    try Self.write(to: jsonArray) { write in
      for (index, row) in data.rows.enumerated() {
        try write((index == 0 ? "[" : ",\n") + Self.object(row))
      }
      try write("]\n")
    }
  }

  private static func object(_ row: BenchmarkRow) -> String {
    #"{"id":\#(row.id),"name":"\#(row.name)","owner":"\#(row.owner)","#
      + #""status":"\#(row.status)","priority":\#(row.priority),"score":\#(row.score),"#
      + #""isDone":\#(row.isDone)}"#
  }

  private static func write(to file: URL, _ body: ((String) throws -> Void) throws -> Void) throws {
    try Data().write(to: file)
    let handle = try FileHandle(forWritingTo: file)
    defer { try? handle.close() }
    var buffer = Data()
    try body { text in
      buffer += Data(text.utf8)
      guard buffer.count >= 1 << 20 else { return }
      try handle.write(contentsOf: buffer)
      buffer.removeAll(keepingCapacity: true)
    }
    try handle.write(contentsOf: buffer)
  }

  /// The statement that makes the table of the rows in SQLite.
  static let table = """
    CREATE TABLE Todo(id INTEGER PRIMARY KEY, name TEXT NOT NULL, owner TEXT NOT NULL, \
    status TEXT NOT NULL, priority INTEGER NOT NULL, score REAL NOT NULL, isDone BOOLEAN NOT NULL);
    """
}
