// SPDX-License-Identifier: Apache-2.0

// The ways to open a realm, and what a realm reports of itself.

import Foundation
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

@Suite(.serialized) struct OpeningTests {
  /// Runs a program with another default configuration.
  private func withDefault<R>(
    _ configuration: Realm.Configuration, _ program: () throws -> R
  ) rethrows -> R {
    let before = Realm.Configuration.defaultConfiguration
    Realm.Configuration.defaultConfiguration = configuration
    defer { Realm.Configuration.defaultConfiguration = before }
    return try program()
  }

  @Test func theDefaultConfigurationIsOpened() throws {
    let file = try TemporaryRealm()
    try withDefault(file.configuration) {
      let realm = try Realm()
      expectEqual(realm.configuration.fileURL, file.configuration.fileURL)
      #expect(try realm == file.open() && realm == Realm(queue: nil))
      expectTrue(realm.isEmpty)
      expectTrue(realm.configuration == file.configuration)
    }
  }

  @Test func aFileOfTheDefaultConfigurationIsOpened() throws {
    let file = try TemporaryRealm()
    let other = file.directory.appendingPathComponent("other.realm")
    try withDefault(file.configuration) {
      let realm = try Realm(fileURL: other)
      expectEqual(realm.configuration.fileURL, other)
      expectEqual(
        realm.schema.objectSchema.map(\.className).sorted(), ["AllTypes", "Dog", "Person"])
    }
    expectTrue(FileManager.default.fileExists(atPath: other.path))
  }

  @Test func theDefaultFile() {
    let url = Realm.Configuration.defaultFileURL
    expectEqual(url?.lastPathComponent, "default.realm")
    expectEqual(Realm.Configuration().fileURL, url)
  }

  /// Of a user who never ran a program of this kind.
  @Test func theDefaultFolderIsMadeWhenItIsAskedFor() async {
    await #expect(processExitsWith: .success) {
      let home = try EmptyHome()
      let url = try #require(Realm.Configuration.defaultFileURL)
      precondition(url.path.hasPrefix(home.directory.path))
      let attributes = try FileManager.default.attributesOfItem(
        atPath: url.deletingLastPathComponent().path)
      precondition(attributes[.type] as? FileAttributeType == .typeDirectory)
      precondition((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o700)
      var configuration = Realm.Configuration(objectTypes: [Dog.self, Person.self])
      _ = try Realm(configuration: configuration)
      let copy = url.deletingLastPathComponent().appendingPathComponent("copy.realm")
      try Realm(configuration: configuration).writeCopy(toFile: copy)
      // A folder that goes meanwhile is made again.
      configuration.fileURL = Realm.Configuration.defaultFileURL
      try FileManager.default.removeItem(atPath: home.directory.path + "/.local")
      let realm = try Realm(configuration: configuration)
      precondition(realm.isEmpty)
    }
  }

  /// Asking for the file is no failure, opening is.
  @Test func aDefaultFolderThatCannotBeMadeIsAnErrorOfOpening() async {
    await #expect(processExitsWith: .success) {
      let home = try EmptyHome()
      let file = home.directory.file("file")
      precondition(FileManager.default.createFile(atPath: file, contents: nil))
      for variable in EmptyHome.variables { setenv(variable, file, 1) }
      let configuration = Realm.Configuration(objectTypes: [Dog.self, Person.self])
      do {
        _ = try Realm(configuration: configuration)
        preconditionFailure("there is no such place")
      } catch let error as Realm.Error {
        precondition(error.code == .filePermissionDenied)
        precondition(error.localizedDescription.contains("Please use a path where your app has"))
      }
    }
  }

  /// An empty home directory, until this goes; for exit tests only.
  private struct EmptyHome {
    static let variables = ["HOME", "CFFIXED_USER_HOME"]
    let directory: TemporaryDirectory

    init() throws {
      directory = try TemporaryDirectory()
      unsetenv("XDG_DATA_HOME")
      for variable in Self.variables { setenv(variable, directory.path, 1) }
    }
  }

  @Test(arguments: [Realm.OpenBehavior.never, .once, .always])
  func localRealmsAreOpenedWithoutDownloads(_ behavior: Realm.OpenBehavior) async throws {
    let file = try TemporaryRealm()
    let count = try await Self.openOnTheMainActor(file.configuration, behavior)
    expectEqual(count, 1)
    let sameCount = try await Opener().open(file.configuration, behavior)
    expectEqual(sameCount, 1)
  }

  @MainActor private static func openOnTheMainActor(
    _ configuration: Realm.Configuration, _ behavior: Realm.OpenBehavior
  ) async throws -> Int {
    let realm = try await Realm(configuration: configuration, downloadBeforeOpen: behavior)
    let same = try await Realm(
      configuration: configuration, actor: MainActor.shared, downloadBeforeOpen: behavior)
    let synchronous = try { try Realm(configuration: configuration) }()
    expectEqual(realm, same)
    expectEqual(realm, synchronous)
    try await realm.asyncWrite { realm.create(Dog.self) }
    return realm.objects(Dog.self).count
  }

  private actor Opener {
    func open(
      _ configuration: Realm.Configuration, _ behavior: Realm.OpenBehavior
    ) async throws -> Int {
      let realm = try await Realm.open(
        configuration: configuration, downloadBeforeOpen: behavior)
      let same = try await Realm(
        configuration: configuration, actor: self, downloadBeforeOpen: behavior)
      expectEqual(realm, same)
      return realm.objects(Dog.self).count
    }
  }

  @Test func linkedClassesMustBeListed() throws {
    let file = try TemporaryRealm([Person.self, Shelf.self, Spot.self])
    let error = #expect(throws: Realm.Error.self) { try file.open() }
    expectEqual(error?.code, .fail)
    expectEqual(
      error?.localizedDescription,
      """
      Invalid class subset list:
      - 'Person.best' links to 'Dog', which is not in objectTypes.
      - 'Person.dogs' links to 'Dog', which is not in objectTypes.
      - 'Shelf.dogs' links to 'Dog', which is not in objectTypes.
      - 'Shelf.pets' links to 'Dog', which is not in objectTypes.
      """, "\(error?.localizedDescription ?? "")")
  }

  @Test func theMethodOfTheClassNamesThePrimaryKey() throws {
    class Keyed: Object {
      @Persisted var code: String
      @Persisted var note: String
      override class func primaryKey() -> String? { "code" }
      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
    let realm = try TemporaryRealm([Keyed.self]).open()
    try realm.write {
      realm.create(Keyed.self, value: ["a", "x"])
      realm.create(Keyed.self, value: ["a", "y"], update: .modified)
    }
    expectEqual(realm.object(ofType: Keyed.self, forPrimaryKey: "a")?.note, "y")
    expectEqual(realm.schema["Keyed"]?.primaryKeyProperty?.name, "code")
    expectTrue(Object.primaryKey() == nil)
    expectTrue(Object().objectSchema.properties.isEmpty)
  }

  @Test func aPrimaryKeyThatDoesNotExistIsAMistake() throws {
    class Lost: Object {
      @Persisted var code: String
      override class func primaryKey() -> String? { "key" }
      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
    let error = #expect(throws: Realm.Error.self) { try TemporaryRealm([Lost.self]).open() }
    expectEqual(
      error?.localizedDescription.hasSuffix(
        "- Primary key property 'key' does not exist on object 'Lost'"), true,
      "\(error?.localizedDescription ?? "")")
  }

  @Test func invalidatingInATransactionUndoesIt() throws {
    let realm = try TemporaryRealm().open()
    realm.beginWrite()
    realm.create(Dog.self)
    realm.invalidate()
    expectFalse(realm.isInWriteTransaction)
    expectTrue(realm.objects(Dog.self).isEmpty)
  }
}
