// SPDX-License-Identifier: Apache-2.0

// The other process of `TwoProcessTests`: does what it reads from standard input, a line at a time,
// and answers each line with one.

import Foundation
@_spi(RealmTesting) import RealmSwift

/// The same model as in the tests.
class SharedCounter: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var value: Int
  /// Always equal to `value` outside of transactions.
  @Persisted var twin: Int
  @Persisted var text: String

  // The process of the tests has the class twice: the program is linked into it.
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@main
@MainActor
struct SecondProcess {
  private struct Misunderstanding: Error {
    let words: [String]
  }

  private var opened: Realm?
  private var durability = Realm.Configuration.Durability.twoSyncs
  private var kept: [Realm] = []

  static func main() {
    var process = SecondProcess()
    while let line = nextLine() {
      let words = line.split(separator: " ").map(String.init)
      do {
        answer(try process.run(words))
      } catch {
        answer("error: \(error)")
      }
    }
  }

  /// A line of standard input; nil at its end. There `readLine` asks again for as long as `errno`
  /// is that of an interrupted call, which a call of the database may have left.
  private static func nextLine() -> String? {
    errno = 0
    return readLine()
  }

  private static func answer(_ text: String) {
    FileHandle.standardOutput.write(Data("\(text)\n".utf8))
  }

  private var realm: Realm {
    get throws {
      guard let opened else { throw Misunderstanding(words: ["nothing is open"]) }
      return opened
    }
  }

  private mutating func run(_ words: [String]) throws -> String {
    let numbers = words.dropFirst().compactMap(Int.init)
    switch (words.first, numbers.count) {
    case ("open", _): try open(words[1])
    case ("one-sync", 0): durability = .oneSync
    case ("deferred", 0): durability = .deferred
    case ("open-encrypted", 1): try open(words[2], key: UInt8(numbers[0]))
    case ("open-at", _):
      // Both processes read the same flag, so that they begin together.
      while access(words[1], F_OK) != 0 {}
      try open(words[2])
    case ("add", 2): try add(numbers[0], numbers[1])
    case ("increment", 2): for _ in 0..<numbers[1] { try increment(numbers[0]) }
    case ("text", 2): try setText(numbers[0], byteCount: numbers[1])
    case ("begin", 1):
      try realm.beginWrite()
      try counter(numbers[0]).value = -1
    case ("commit", 0): try realm.commitWrite()
    case ("delete-owner", 0): try GoneOwner.deleteAll(in: words[1])
    case ("set", 2):
      try counter(numbers[0]).value = numbers[1]
      try realm.commitWrite()
    case ("keep", 0): kept.append(try realm.freeze())
    case ("fork", _): return try fork(words[1])
    case ("fork-hold", 0): return try ForkedChild.hold()
    case ("value", 1):
      try realm.refresh()
      return "\(try counter(numbers[0]).value)"
    case ("churn", 1):
      Self.answer("ok")
      // No process is left to end this when the tests themselves have ended.
      let parent = getppid()
      while getppid() == parent { try increment(numbers[0]) }
      exit(1)
    default: throw Misunderstanding(words: words)
    }
    return "ok"
  }

  /// - Parameter key: What all bytes of the key are, if the file is encrypted.
  private mutating func open(_ path: String, key: UInt8? = nil) throws {
    var configuration = Realm.Configuration(
      fileURL: URL(fileURLWithPath: path),
      encryptionKey: key.map { Data(repeating: $0, count: 64) },
      objectTypes: [SharedCounter.self])
    configuration.durability = durability
    opened = try Realm(configuration: configuration)
  }

  /// What a forked child gets to hear when it uses what its parent has opened.
  private mutating func fork(_ action: String) throws -> String {
    let counter = try counter(1)
    let frozen = counter.freeze()
    let realm = try realm
    let configuration = realm.configuration
    return try ForkedChild.outcome {
      switch action {
      case "read": return "\(counter.value)"
      case "frozen": return "\(frozen.value)"
      case "query": return "\(realm.objects(SharedCounter.self).count)"
      case "refresh": return "\(realm.refresh())"
      case "write": try realm.write { counter.value = 1_000_000 }
      case "commit": try realm.commitWrite()
      case "open": _ = try Realm(configuration: configuration)
      case "open-other":
        let path = (configuration.fileURL?.path ?? "") + ".other"
        _ = try Realm(configuration: Realm.Configuration(fileURL: URL(fileURLWithPath: path)))
      case "memory":
        _ = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "forked"))
      case "drop":
        kept = []
        opened = nil
      default: throw Misunderstanding(words: ["fork", action])
      }
      return "nothing"
    }
  }

  private func counter(_ id: Int) throws -> SharedCounter {
    guard let counter = try realm.object(ofType: SharedCounter.self, forPrimaryKey: id) else {
      throw Misunderstanding(words: ["no counter \(id)"])
    }
    return counter
  }

  private func add(_ id: Int, _ value: Int) throws {
    try realm.write {
      _ = try realm.create(
        SharedCounter.self, value: ["id": id, "value": value, "twin": value])
    }
  }

  private func increment(_ id: Int) throws {
    try realm.write {
      let counter = try counter(id)
      counter.value += 1
      counter.twin += 1
    }
  }

  private func setText(_ id: Int, byteCount: Int) throws {
    try realm.write { try counter(id).text = String(repeating: "c", count: byteCount) }
  }
}
