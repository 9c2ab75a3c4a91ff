// SPDX-License-Identifier: Apache-2.0

// A small program, to be run as a process of its own: what starting and memory cost shows only
// there.

import BenchmarkSupport
import CSQLite
import Foundation
import GRDB
import RealmSwift

/// What a process does that is measured as a whole.
package enum Probe: String, CaseIterable, Sendable {
  /// Starts and ends.
  case nothing
  /// Opens a small file that is there, and reads one property.
  case start
  /// Inserts all rows in one transaction.
  case insert
  /// Opens a file with all rows, and sums a property up.
  case sum

  private static let flag = "--probe"

  /// The engines that processes compare.
  enum Peer: String, CaseIterable {
    case openRealm = "OpenRealm"
    case sqlite = "SQLite"
    case grdb = "GRDB"
  }

  /// Runs the probe in a process.
  func measure(_ peer: Peer, rows: Int, in folder: URL) throws -> MeasuredProcess {
    try MeasuredProcess(
      MeasuredProcess.ownPath, [Self.flag, rawValue, peer.rawValue, "\(rows)", folder.path],
      output: folder.appending(path: "probe.txt"))
  }

  /// Does the work of a probe, if this process is one, and ends. Programs that measure processes
  /// call it first.
  package static func runIfAsked() {
    let arguments = CommandLine.arguments
    guard arguments.count == 6, arguments[1] == flag, let probe = Probe(rawValue: arguments[2]),
      let peer = Peer(rawValue: arguments[3]), let rows = Int(arguments[4])
    else { return }
    do {
      if probe != .nothing { try probe.run(peer, rows, URL(filePath: arguments[5])) }
      exit(0)
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(1)
    }
  }

  private func run(_ peer: Peer, _ rows: Int, _ folder: URL) throws {
    let file = folder.appending(path: "probe-\(peer.rawValue)-\(rows)")
    if self == .insert { file.removeDatabase() }
    switch peer {
    case .openRealm: try runOpenRealm(file, rows)
    case .sqlite: try runSQLite(file, rows)
    case .grdb: try runGRDB(file, rows)
    }
  }

  private func requireSum(_ sum: Int, of rows: Int) throws {
    let expected = (0..<rows).reduce(0) { $0 + BenchmarkData.row($1).priority }
    guard sum == expected else { throw BenchmarkError("the sum is \(sum)") }
  }

  private func runOpenRealm(_ file: URL, _ rows: Int) throws {
    let realm = try Realm(
      configuration: Realm.Configuration(fileURL: file, objectTypes: [RealmTodo.self]))
    switch self {
    case .nothing: break
    case .insert:
      try realm.write { for index in 0..<rows { realm.add(RealmTodo(BenchmarkData.row(index))) } }
    case .start:
      guard realm.objects(RealmTodo.self).first?.id == 0 else { throw BenchmarkError("no row") }
    case .sum: try requireSum(realm.objects(RealmTodo.self).sum(of: \.priority), of: rows)
    }
  }

  private func runSQLite(_ file: URL, _ rows: Int) throws {
    let engine = try SQLiteConnection(path: file.path)
    switch self {
    case .nothing: break
    case .insert:
      let insert = try engine.statement("INSERT INTO todo VALUES (?,?,?,?,?,?,?)")
      try engine.transaction {
        for index in 0..<rows { try insert.run(binding: BenchmarkData.row(index)) }
      }
    case .start:
      guard try engine.statement("SELECT id + 1 FROM todo LIMIT 1").run() == 1 else {
        throw BenchmarkError("no row")
      }
    case .sum:
      try requireSum(try engine.statement("SELECT SUM(priority) FROM todo").run(), of: rows)
    }
  }

  private func runGRDB(_ file: URL, _ rows: Int) throws {
    let pool = try GRDBEngine.open(file)
    switch self {
    case .nothing: break
    case .insert: try GRDBEngine.insert((0..<rows).lazy.map { BenchmarkData.row($0) }, into: pool)
    case .start:
      let first = try pool.read { try Int.fetchOne($0, sql: "SELECT id FROM todo LIMIT 1") }
      guard first == 0 else { throw BenchmarkError("no row") }
    case .sum:
      let sum = try pool.read { try Int.fetchOne($0, sql: "SELECT SUM(priority) FROM todo") }
      try requireSum(sum ?? 0, of: rows)
    }
  }
}
