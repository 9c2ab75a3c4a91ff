// SPDX-License-Identifier: Apache-2.0

// What configurations are, and what their options do.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@_spi(RealmTesting) @testable import RealmSwift

struct ConfigurationTests {
  @Test func equalityIsThatOfWhatIsOpened() {
    let url = URL(fileURLWithPath: "/tmp/equality.realm")
    let first = Realm.Configuration(fileURL: url, schemaVersion: 2)
    var second = first
    second.migrationBlock = { _, _ in }
    second.deleteRealmIfMigrationNeeded = true
    second.objectTypes = [Person.self]
    second.maximumNumberOfActiveVersions = 3
    expectEqual(first, second)
    second.schemaVersion = 3
    expectTrue(first != second)
    second = first
    second.readOnly = true
    expectTrue(first != second)
    second = first
    second.inMemoryIdentifier = "x"
    expectTrue(first != second)
    second = first
    second.encryptionKey = Data(repeating: 1, count: 64)
    expectTrue(first != second)
  }

  @Test(arguments: [
    "/a/b.realm", "/a//b.realm", "/a/./b.realm", "/a/../b.realm", "/a/.b/c.realm", "/a/b..realm",
    "/a/b/", "a.realm", "../a.realm", "/", "/.realm", "//a.realm", "/a/b/..", "/a/b c.realm",
    "/a/%20b.realm", "/a/b%.realm", "/ä/🐢.realm", "/a/b;c?d#e.realm",
  ])
  func pathsAreThoseOfStandardURLs(_ path: String) {
    let url = URL(fileURLWithPath: path)
    expectEqual(url.realmFilePath, url.standardizedFileURL.path)
    let encoded = URL(string: "file://" + url.path(percentEncoded: true)) ?? url
    expectEqual(encoded.realmFilePath, encoded.standardizedFileURL.path)
    let relative = URL(fileURLWithPath: path, relativeTo: URL(fileURLWithPath: "/x/y/"))
    expectEqual(relative.realmFilePath, relative.standardizedFileURL.path)
  }

  @Test func descriptionsNameTheOptions() {
    var configuration = Realm.Configuration(
      fileURL: URL(fileURLWithPath: "/tmp/told.realm"), schemaVersion: 7,
      objectTypes: [Person.self, Dog.self])
    configuration.shouldCompactOnLaunch = { _, _ in true }
    let text = configuration.description
    for part in [
      "fileURL = file:///tmp/told.realm;", "schemaVersion = 7;", "readOnly = 0;",
      "shouldCompactOnLaunch = set;", "migrationBlock = (null);", "[\"Person\", \"Dog\"]",
    ] {
      expectTrue(text.contains(part), "\(part) in \(text)")
    }
  }

  @Test func readOnlyRealmsReadWhatIsThere() throws {
    let file = try TemporaryRealm()
    do {
      let realm = try file.open()
      try realm.write { realm.create(Person.self, value: ["id": 1, "name": "Ann"]) }
    }
    let url = try #require(file.configuration.fileURL)
    let bytes = try Data(contentsOf: url)
    file.configuration.readOnly = true
    do {
      let realm = try file.open()
      expectEqual(realm.objects(Person.self).first?.name, "Ann")
      expectEqual(realm.freeze().objects(Person.self).count, 1)
      expectEqual(realm.dynamicObjects("Person").first?.name as? String, "Ann")
    }
    try expectEqual(Data(contentsOf: url), bytes)
    // Classes and properties that the program lacks do not matter, missing ones do.
    file.configuration.objectTypes = [AllTypes.self]
    do { #expect(try file.open().isEmpty) }
    file.configuration.objectTypes = [DynamicPlant.self, DynamicPot.self]
    let realm = try file.open()
    expectTrue(realm.schema["DynamicPlant"] != nil)
    let plants = realm.objects(DynamicPlant.self)
    expectTrue(plants.isEmpty)
    #expect(plants.where { $0.name == "fern" }.isEmpty)
    expectEqual(plants.filter("id > 3").sorted(byKeyPath: "name").first, nil)
    expectEqual(realm.object(ofType: DynamicPlant.self, forPrimaryKey: 1), nil)
    expectTrue(realm.dynamicObjects("DynamicPlant").isEmpty)
    expectTrue(realm.freeze().objects(DynamicPlant.self).isEmpty)
  }

  @Test func readOnlyRealmsRefuseOtherSchemas() throws {
    let file = try TemporaryRealm.ofFirstAge()
    file.configuration.objectTypes = Age2.types
    file.configuration.readOnly = true
    let error = #expect(throws: Realm.Error.self) { try file.open() }
    expectEqual(error?.code, .schemaMismatch)
    let text = error?.localizedDescription ?? ""
    #expect(
      text.hasPrefix("The following changes cannot be made in read-only schema mode:\n- "),
      "\(text)")
    expectTrue(text.contains("- Property 'Reader.key' has been added."))
  }

  @Test(.heavy) func oneFileIsOpenedInOneWay() throws {
    let file = try TemporaryRealm()
    let realm = try file.open()
    func refusal(_ change: (inout Realm.Configuration) -> Void) throws -> String {
      var configuration = file.configuration
      change(&configuration)
      let changed = configuration
      let here = #expect(throws: Realm.Error.self) { try Realm(configuration: changed) }
      let elsewhere = #expect(throws: Realm.Error.self) {
        try onAnotherThread { try Realm(configuration: changed).isEmpty }
      }
      expectEqual(here?.localizedDescription, elsewhere?.localizedDescription)
      return here?.localizedDescription ?? ""
    }
    let path = realm.core.configuration.location.path
    try expectEqual(
      refusal { $0.readOnly = true },
      "Realm at path '\(path)' already opened with different read permissions.")
    try expectEqual(
      refusal { $0.schemaVersion = 4 },
      "Realm at path '\(path)' already opened with different schema version: 0, and now 4. Use one "
        + "configuration for a file in the whole program, or close the Realms that are open.")
  }

  @Test func fewVersionsMayBeKept() throws {
    let file = try TemporaryRealm()
    file.configuration.maximumNumberOfActiveVersions = 2
    let realm = try file.open()
    try realm.write { realm.create(Dog.self) }
    let frozen = realm.freeze()
    try realm.write { realm.create(Dog.self) }
    let first = #expect(throws: Realm.Error.self) {
      try realm.write { realm.create(Dog.self) }
      try realm.write { realm.create(Dog.self) }
    }
    expectTrue(
      first?.localizedDescription.hasPrefix(
        "Number of active versions (3) in the Realm exceeded the limit of 2. Release frozen ")
        ?? false)
    expectFalse(realm.isInWriteTransaction)
    expectEqual(frozen.objects(Dog.self).count, 1)
  }

  @Test func letGoVersionsDoNotCount() throws {
    let file = try TemporaryRealm()
    file.configuration.maximumNumberOfActiveVersions = 2
    let realm = try file.open()
    for _ in 0..<5 {
      do { _ = realm.freeze().objects(Dog.self).count }
      try realm.write { realm.create(Dog.self) }
    }
    expectEqual(realm.objects(Dog.self).count, 5)
  }
}

struct ConfigurationMisuseTests {
  private func expect(_ text: String, in result: ExitTest.Result?) {
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    expectTrue(said.contains(text), "said: \(said.prefix(400))")
  }

  @Test func tooManyVersions() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let file = try TemporaryRealm()
      file.configuration.maximumNumberOfActiveVersions = 1
      let realm = try file.open()
      let frozen = realm.freeze()
      try realm.write { realm.create(Dog.self) }
      realm.beginWrite()
      withExtendedLifetime(frozen) {}
    }
    expect("Number of active versions (2) in the Realm exceeded the limit of 1", in: result)
  }

  @Test func compactingReadOnly() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var configuration = Realm.Configuration()
      configuration.shouldCompactOnLaunch = { _, _ in true }
      configuration.readOnly = true
    }
    expect("Cannot set `readOnly` when `shouldCompactOnLaunch` is set.", in: result)
  }

  @Test func noPlace() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Realm(configuration: Realm.Configuration(fileURL: nil, objectTypes: [AllTypes.self]))
    }
    expect(
      "A Realm Configuration must specify a path or an in-memory identifier.", in: result)
  }

  @Test func anEmptyPath() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var configuration = Realm.Configuration()
      configuration.fileURL = URL(string: "file:")
    }
    expect("Realm path must not be empty", in: result)
  }

  @Test func classesThatAreNamedTwiceCountOnce() throws {
    let file = try TemporaryRealm([Person.self, Dog.self, Person.self, AllTypes.self, Dog.self])
    do {
      let realm = try file.open()
      try realm.write { realm.create(Dog.self) }
      expectEqual(realm.schema.objectSchema.map(\.className).filter { $0 == "Dog" }, ["Dog"])
      expectEqual(realm.freeze().objects(Dog.self).count, 1)
      try expectEqual(Realm.snapshot(of: file.configuration) { $0.objects(Dog.self).count }, 1)
    }
    file.configuration.schemaVersion = 1
    try expectEqual(file.open().objects(Dog.self).count, 1)
    file.configuration.deleteRealmIfMigrationNeeded = true
    file.configuration.schemaVersion = 2
    #expect(try file.open().objects(Dog.self).isEmpty)
  }

  @Test func aURLThatIsNoFileURL() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var configuration = Realm.Configuration()
      configuration.fileURL = URL(string: "https://example.com/x.realm")
    }
    expect(
      "Cannot use 'https://example.com/x.realm' as the URL of a Realm file: it is not a file URL. "
        + "Make one with URL(fileURLWithPath:).", in: result)
  }

  @Test func everyURLMustBeAFileURL() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let url = try #require(URL(string: "https://example.com/x.realm"))
      let uses: [@Sendable () throws -> Void] = [
        { _ = Realm.Configuration(fileURL: url) },
        { _ = try Realm(fileURL: url) },
        { _ = Realm.Configuration(seedFilePath: url) },
        {
          var configuration = Realm.Configuration()
          configuration.seedFilePath = url
        },
        { _ = try schemaVersionAtURL(url) },
        { try TemporaryRealm().open().writeCopy(toFile: url) },
      ]
      for use in uses { print(Traps.text(use).prefix(20)) }
    }
    let said = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    expectEqual(said, String(repeating: "Cannot use 'https://\n", count: 6))
  }

  @Test func anEmptyIdentifier() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Realm.Configuration(inMemoryIdentifier: "")
    }
    expect("In-memory identifier must not be empty", in: result)
  }

  @Test func refreshingReadOnly() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let file = try TemporaryRealm()
      do { _ = try file.open() }
      file.configuration.readOnly = true
      try file.open().refresh()
    }
    expect("Read-only Realms do not change and cannot be refreshed.", in: result)
  }
}
