// SPDX-License-Identifier: Apache-2.0

// What the examples of the pages share. They run in processes of their own, as they use the default
// realm. The pages' `try!` is `try` here, as everywhere in this project.

import Foundation
import RealmSwift
import RealmTestSupport

class Errand: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var name: String
  @Persisted var owner: String
  @Persisted var status: String

  // The same class exists once for each language mode in the process of the tests.
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Keeper: Object {
  @Persisted var name: String
  @Persisted var pets: List<Pet>

  convenience init(name: String) {
    self.init()
    self.name = name
  }

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Pet: Object {
  @Persisted var name: String
  @Persisted var age: Int

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Letter: Object {
  @Persisted var subject: String
  @Persisted var read: Bool

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Gives the process an empty home directory, as on a fresh machine, where `Realm()` opens a new
/// file. The home is removed with what this returns.
nonisolated func useDefaultRealm() throws -> TemporaryDirectory {
  let home = try TemporaryDirectory()
  unsetenv("XDG_DATA_HOME")
  for variable in ["HOME", "CFFIXED_USER_HOME"] { setenv(variable, home.path, 1) }
  Logger.shared.level = .off
  var configuration = Realm.Configuration.defaultConfiguration
  configuration.objectTypes = [Errand.self, Keeper.self, Pet.self, Letter.self]
  precondition(configuration.fileURL?.path.hasPrefix(home.path) == true)
  Realm.Configuration.defaultConfiguration = configuration
  return home
}

/// A door that one side waits at until the other opens it.
nonisolated final class Gate: @unchecked Sendable {
  // @unchecked: the semaphore orders everything.
  private let semaphore = DispatchSemaphore(value: 0)

  func open() { semaphore.signal() }

  /// Blocks the thread.
  func block() {
    let isOpen = semaphore.wait(timeout: .now() + 300) == .success
    precondition(isOpen, "nobody came")
  }

  /// Waits, without keeping a thread of the tasks.
  func wait() async {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "gate").async { [self] in
        block()
        continuation.resume()
      }
    }
  }
}
