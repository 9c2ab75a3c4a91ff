// SPDX-License-Identifier: Apache-2.0

// A diary app as Realm's documentation recommends to write one: each step does what an app does,
// and checks the result.
//
//     swift run realm-diary

import Foundation
import RealmSwift

@main
@MainActor
struct RealmDiary {
  static func main() async {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "realm-diary-\(UUID().uuidString)")
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let url = folder.appending(path: "diary.realm")
      try FirstVersion.writeFile(at: url)
      Realm.Configuration.defaultConfiguration = .diary(at: url)

      try checkMigration()
      let realm = try await Realm()
      try write(in: realm)
      try ask(realm)
      try arrange(realm)
      try keepMixedValues(realm)
      try showSections(of: realm)
      try await showRows(of: realm)
      try await watch(realm)
      try await workElsewhere(with: realm)
      try exchange(with: realm)
      try copy(realm, to: folder)
      try remove(from: realm)
      print("The diary works.")
    } catch {
      FileHandle.standardError.write(Data("realm-diary: \(error)\n".utf8))
      exit(1)
    }
  }
}

/// Something in the diary was not as it should be.
struct UnexpectedResult: Error, CustomStringConvertible {
  var description: String
}

/// Stops the program if two values are not equal.
func expect<T: Equatable>(
  _ found: T, _ expected: T, file: String = #fileID, line: UInt = #line
) throws {
  if found != expected {
    throw UnexpectedResult(description: "\(file):\(line): \(found) instead of \(expected)")
  }
}

/// Returns a value that must not be nil.
func require<T>(_ value: T?, file: String = #fileID, line: UInt = #line) throws -> T {
  guard let value else { throw UnexpectedResult(description: "\(file):\(line): nothing there") }
  return value
}

/// Suspends on the main actor until a condition is true.
@MainActor
func wait(
  for what: String, line: UInt = #line, until isThere: () -> Bool
) async throws {
  for _ in 0..<2000 {
    if isThere() { return }
    try await Task.sleep(for: .milliseconds(5))
  }
  throw UnexpectedResult(description: "line \(line): \(what) did not come")
}
