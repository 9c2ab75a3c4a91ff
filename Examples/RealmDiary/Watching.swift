// SPDX-License-Identifier: Apache-2.0

// Observers of every kind, another actor, and objects that are handed over.

import Foundation
import RealmSwift

/// The changes that observers have reported.
@MainActor
private final class Log {
  var lines: [String] = []

  func add(_ line: String) { lines.append(line) }

  func take() -> [String] {
    defer { lines = [] }
    return lines
  }
}

/// Observes objects, collections, maps, and the realm, then changes all of them.
@MainActor
func watch(_ realm: Realm) async throws {
  let log = Log()
  let walk = try require(realm.objects(Entry.self).where { $0.title == "A walk" }.first)
  var tokens: [NotificationToken] = []
  tokens.append(
    realm.objects(Entry.self).where { $0.isFavorite }.observe { change in
      switch change {
      case .initial(let entries): log.add("favorites \(entries.count)")
      case .update(let entries, let deletions, let insertions, let modifications):
        log.add("favorites \(entries.count) \(deletions) \(insertions) \(modifications)")
      case .error(let error): log.add("\(error)")
      }
    })
  tokens.append(
    walk.observe(keyPaths: [\Entry.title]) { (change: ObjectChange<Entry>) in
      switch change {
      case .change(_, let properties): log.add("title \(properties[0].newValue ?? "")")
      case .deleted: log.add("gone")
      case .error(let error): log.add("\(error)")
      }
    })
  tokens.append(
    walk.minutes.observe { change in
      if case .update(_, _, let insertions, let modifications) = change {
        log.add("minutes +\(insertions) ~\(modifications)")
      }
    })
  tokens.append(
    walk.people.observe(keyPaths: ["nickname"]) { change in
      if case .update(_, _, _, let modifications) = change { log.add("people \(modifications)") }
    })
  let quiet = walk.tags.observe { change in
    if case .update = change { log.add("tags") }
  }
  tokens.append(quiet)
  tokens.append(realm.observe { notification, _ in log.add(notification.rawValue) })
  try await wait(for: "the first favorites") { log.lines.contains("favorites 1") }
  _ = log.take()

  try realm.write(withoutNotifying: [quiet]) {
    walk.title = "A long walk"
    walk.isFavorite = true
    walk.minutes["walking"] = 100
    walk.minutes["resting"] = 5
    walk.people[0].nickname = "Countess"
    walk.tags.insert("long")
  }
  realm.refresh()
  try await wait(for: "all changes") { log.lines.count >= 5 }
  try expect(
    Set(log.take()),
    [
      "RLMRealmDidChangeNotification", "favorites 1 [] [] [0]", "title A long walk",
      "minutes +[\"resting\"] ~[\"walking\"]", "people [0]",
    ])
  for token in tokens { token.invalidate() }
  try realm.write { walk.title = "A walk" }
  realm.refresh()
  try expect(log.take(), [])
  print("8. Six observers were told what concerned them.")
}

/// An actor for slow work.
@globalActor
actor Archivist {
  static let shared = Archivist()

  private(set) var seen = 0

  func note(_ count: Int) { seen = count }
}

/// Writes entries without blocking the main actor.
@Archivist
private func importEntries(count: Int) async throws -> [ObjectId] {
  let realm = try await Realm(actor: Archivist.shared)
  return try await realm.asyncWrite {
    (0..<count).map { number in
      let entry = Entry("Imported \(number)", day: 300 + number)
      entry.tags.insert("imported")
      realm.add(entry)
      return entry._id
    }
  }
}

/// Changes an entry that the caller has found.
@Archivist
private func like(_ reference: ThreadSafeReference<Entry>) async throws {
  let realm = try await Realm(actor: Archivist.shared)
  guard let entry = realm.resolve(reference) else { return }
  try await realm.asyncWrite { entry.isFavorite = true }
}

/// Hands work and objects over.
@MainActor
func workElsewhere(with realm: Realm) async throws {
  let imported = realm.objects(Entry.self).where { $0.tags.contains("imported") }
  let token = await imported.observe(on: Archivist.shared) { archivist, change in
    if case .update(let entries, _, _, _) = change { archivist.note(entries.count) }
  }
  let before = realm.freeze()
  let ids = try await importEntries(count: 3)
  await realm.asyncRefresh()
  try expect(imported.count, 3)
  let first = try require(realm.object(ofType: Entry.self, forPrimaryKey: ids[0]))

  try await like(ThreadSafeReference(to: first))
  await realm.asyncRefresh()
  try expect(first.isFavorite, true)

  // A wrapped object can be used wherever it is read.
  @ThreadSafe var shared = first
  let wrapped = _shared
  let title = await Task.detached { wrapped.wrappedValue?.title }.value
  try expect(title, "Imported 0")

  // A frozen object can be used on any actor, and does not change.
  let frozen = first.freeze()
  try await realm.asyncWrite {
    first.title = "Renamed"
    realm.delete(imported.where { $0._id != ids[0] })
  }
  try expect(frozen.title, "Imported 0")
  try expect(frozen.thaw()?.title, "Renamed")
  try expect(before.objects(Entry.self).where { $0.tags.contains("imported") }.count, 0)
  try expect(before.isFrozen, true)
  var seen = 0
  for _ in 0..<2000 where seen != 1 {
    try await Task.sleep(for: .milliseconds(5))
    seen = await Archivist.shared.seen
  }
  try expect(seen, 1)
  token.invalidate()
  try await realm.asyncWrite { realm.delete(imported) }
  print("9. An actor wrote, changed and watched.")
}
