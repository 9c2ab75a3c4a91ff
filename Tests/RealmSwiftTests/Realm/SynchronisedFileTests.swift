// SPDX-License-Identifier: Apache-2.0

// Files of device sync in programs that do not synchronise them, with or without the trait `Sync`.

import Foundation
import RealmStorage
import RealmSwiftTestSupport
import RealmTables
import TestExtensions
import Testing

@testable import RealmSwift

@Suite("Synchronised files in local programs") struct SynchronisedFileTests {
  private let temporary: TemporaryRealm

  /// Makes a synchronised file that knows its schema version.
  init() throws {
    temporary = try TemporaryRealm()
    let file = try DatabaseFile.open(
      path: temporary.configuration.location.path, options: OpenOptions(history: .syncClient))
    let group = try WriteGroup(file.beginWrite())
    try SchemaWriter(group).prepare(
      SchemaComparison(RealmOpener.schemas(of: temporary.configuration), [:], nil))
    try group.setSchemaVersion(7)
    _ = try group.commit()
  }

  @Test func writersAreToldWhoseFileItIs() throws {
    let error = #expect(throws: Realm.Error.self) {
      _ = try Realm(configuration: temporary.configuration)
    }
    expectEqual(error?.code, .incompatibleHistories)
    let text = try #require(error?.localizedDescription)
    let reason = "history type 3 and belongs to a synchronised client or server"
    expectTrue(text.contains(reason), "\(text)")
    expectTrue(text.contains("Open it with the configuration that it was created with."), "\(text)")
  }

  @Test func readersReadIt() throws {
    var configuration = temporary.configuration
    configuration.readOnly = true
    configuration.schemaVersion = 7
    let realm = try Realm(configuration: configuration)
    expectTrue(realm.objects(Person.self).isEmpty)
    let url = try #require(configuration.fileURL)
    try expectEqual(schemaVersionAtURL(url), 7)
  }
}
