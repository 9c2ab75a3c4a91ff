// SPDX-License-Identifier: Apache-2.0

// The cities of the world in a realm: a background actor imports them; the main actor observes,
// queries, closes the file, opens it again, and checks it. The second run finds the data.
//
//     swift run -c release realm-cities [FILE]

import Foundation
import RealmSwift

@main
@MainActor
struct RealmCities {
  private static let batch = 1_000

  private static let usage = "usage: realm-cities [FILE]\n"

  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.contains("--help") { return print(usage, terminator: "") }
    guard arguments.count < 2, arguments.first?.hasPrefix("-") != true else {
      let words = arguments.joined(separator: " ")
      FileHandle.standardError.write(Data("realm-cities: Unknown: \(words)\n\n\(usage)".utf8))
      exit(64)
    }
    do {
      try await run()
    } catch {
      FileHandle.standardError.write(Data("realm-cities: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run() async throws {
    let file = URL(filePath: CommandLine.arguments.dropFirst().first ?? "realm-cities.realm")
    let configuration = Realm.Configuration(
      fileURL: file, objectTypes: [Country.self, City.self])
    let terminal = Terminal()
    let data = try DataSet.load()
    terminal.line("The realm is \(file.path)")

    try await importAndAsk(configuration, data, terminal)

    // Every reference to the realm is released: the file is closed. Open it again, as the next
    // start of an app would.
    let realm = try await Realm(configuration: configuration)
    try Verification(realm: realm, data: data).run()
    terminal.line("")
    terminal.timed(
      "Closed, opened again, and found all \(data.cities.count.grouped) cities of"
        + " \(data.countries.count) countries as they were imported.")
  }

  private static func importAndAsk(
    _ configuration: Realm.Configuration, _ data: DataSet, _ terminal: Terminal
  ) async throws {
    let realm = try await Realm(configuration: configuration)
    let found = realm.objects(City.self).count
    if found == data.cities.count {
      terminal.line("Found the data of an earlier run: \(found.grouped) cities.")
    } else {
      if found > 0 { terminal.line("Found \(found.grouped) cities of a run that was ended early.") }
      try await importAll(configuration, data, realm, terminal)
    }
    Tour(realm: realm, terminal: terminal).run()
  }

  private static func importAll(
    _ configuration: Realm.Configuration, _ data: DataSet, _ realm: Realm, _ terminal: Terminal
  ) async throws {
    let total = data.cities.count
    terminal.line("Importing \(total.grouped) cities on a background actor …")
    let watcher = Watcher(realm, terminal)
    let (progress, continuation) = AsyncStream.makeStream(of: Int.self)
    let work = Task {
      defer { continuation.finish() }
      let importer = try await Importer(configuration)
      try await importer.run(data, batch: batch) { continuation.yield($0) }
      await importer.close()
    }
    for await done in progress {
      terminal.progress(done, of: total)
    }
    try await work.value
    // The main actor's realm advances to the newest version, and its observers are notified of the
    // rest.
    await realm.asyncRefresh()
    watcher.stop()
    terminal.timed("Imported.")
  }
}
