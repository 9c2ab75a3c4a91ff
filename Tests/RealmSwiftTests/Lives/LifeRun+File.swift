// SPDX-License-Identifier: Apache-2.0

// The steps of a life that concern the file as a whole.

import Foundation
import RealmStorage
import RealmTestSupport
import Synchronization

@testable import RealmSession
@testable import RealmSwift

extension LifeRun {
  func playOnFile(_ step: LifeStep) async throws {
    switch step {
    case .compact(let place): try compact(places[place])
    case .reopen(let durability, let isCompacting):
      file.durability = LifeFile.durabilities[durability]
      try reopen(isCompacting: isCompacting)
    case .migrate(let migration):
      close()
      version.migrate(from: file.age, migration)
      try open(file.migrate(migration))
    case .failToMigrate(let migration): try failToMigrate(migration)
    case .rewrite(let key):
      close()
      try Realm.rewrite(configuration: file.configuration, encryptionKey: LifeFile.keys[key])
      file.key = LifeFile.keys[key]
      try open(file.configuration)
    case .exchange(let place, let key): try exchange(places[place], LifeFile.keys[key])
    case .backUp(let place): try await backUp(places[place])
    case .restore: try restore()
    case .verify:
      let report = try await Realm.verifyIntegrity(configuration: file.configuration)
      if !report.findings.isEmpty || report.uncheckedNodeCount > 0 {
        throw LifeFailure("the check says \(report)")
      }
    default: break
    }
  }

  /// Opens the file in all places.
  func open(_ configuration: Realm.Configuration) throws {
    try places[0].open(configuration, file.age)
    let number = try places[0].run { $0.core.file.newestVersion }
    log.begin(at: number, version)
    for place in places.dropFirst() { try place.open(file.configuration, file.age) }
  }

  func close() { for place in places { place.close() } }

  private func reopen(isCompacting: Bool) throws {
    close()
    guard isCompacting else { return try open(file.configuration) }
    let asked = Mutex(0)
    var configuration = file.configuration
    configuration.shouldCompactOnLaunch = { total, used in
      asked.withLock { $0 += 1 }
      return used <= total
    }
    try open(configuration)
    let count = asked.withLock { $0 }
    if count != 1 { throw LifeFailure("a closed file was offered to be compacted \(count) times") }
  }

  /// Moves what is at the end of the file, in transactions that change nothing.
  private func compact(_ place: LifePlace) throws {
    try place.run { realm in
      for _ in 0..<3 {
        log.note(realm.core.file.newestVersion + 1, version.begun())
        guard try realm.compact(step: 4096) else { return }
      }
    }
  }

  /// The file stays what it was.
  private func failToMigrate(_ migration: LifeMigration) throws {
    close()
    do {
      try places[0].open(file.failing(migration), migration.age)
      throw LifeFailure("a migration that threw has ended well")
    } catch let error as Realm.Error {
      if error.code != .fail { throw error }
    }
    try open(file.configuration)
  }

  private func url(_ name: String) -> URL { URL(fileURLWithPath: directory.file(name)) }

  /// The life goes on with another file.
  private func replaceFile(by other: URL) throws {
    try FileManager.default.removeItem(at: file.url)
    try FileManager.default.moveItem(at: other, to: file.url)
    try open(file.configuration)
  }

  private func exchange(_ place: LifePlace, _ key: Data?) throws {
    let copy = url("copy.realm")
    version = try place.run { realm in
      let version = try place.shown(realm)
      try realm.writeCopy(toFile: copy, encryptionKey: key)
      return version
    }
    close()
    file.key = key
    try replaceFile(by: copy)
  }

  private func backUp(_ place: LifePlace) async throws {
    var saved = file
    saved.url = url("backup.realm")
    if backup != nil { try FileManager.default.removeItem(at: saved.url) }
    backup = nil
    let (frozen, version) = try place.run { ($0.freeze(), try place.shown($0)) }
    try await frozen.backup(to: saved.url)
    backup = (saved, version)
  }

  private func restore() throws {
    guard let backup else { return }
    close()
    self.backup = nil
    version = backup.version
    file = backup.file
    file.url = url("life.realm")
    try replaceFile(by: backup.file.url)
  }
}
