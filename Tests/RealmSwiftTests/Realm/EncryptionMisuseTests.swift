// SPDX-License-Identifier: Apache-2.0

// Keys of wrong lengths and in wrong places end the process with the documented texts.

import Foundation
import RealmSwiftTestSupport
import Testing

@testable import RealmSwift

struct EncryptionMisuseTests {
  private func expect(_ text: String, in result: ExitTest.Result?) {
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains(text), "said: \(said.prefix(400))")
  }

  @Test func aConfigurationWithAShortKey() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Realm.Configuration(encryptionKey: Data(repeating: 1, count: 63))
    }
    expect("Encryption key must be exactly 64 bytes long", in: result)
  }

  @Test func aConfigurationThatGetsALongKey() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var configuration = Realm.Configuration()
      configuration.encryptionKey = Data(repeating: 1, count: 128)
    }
    expect("Encryption key must be exactly 64 bytes long", in: result)
  }

  @Test func askingForAVersionWithAnEmptyKey() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try? schemaVersionAtURL(URL(fileURLWithPath: "/tmp/none.realm"), encryptionKey: Data())
    }
    expect("Encryption key must be exactly 64 bytes long", in: result)
  }

  @Test func aCopyWithAShortKey() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try TemporaryRealm().open()
      try realm.writeCopy(
        toFile: URL(fileURLWithPath: "/tmp/none.realm"), encryptionKey: Data([1]))
    }
    expect("Encryption key must be exactly 64 bytes long", in: result)
  }

  @Test func aNewKeyThatIsShort() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try Realm.rewrite(
        configuration: TemporaryRealm().configuration, encryptionKey: Data(repeating: 2, count: 32))
    }
    expect("Encryption key must be exactly 64 bytes long", in: result)
  }

  @Test func aRealmInMemoryWithAKey() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try? Realm(
        configuration: Realm.Configuration(
          inMemoryIdentifier: "secret", encryptionKey: Data(repeating: 1, count: 64),
          objectTypes: [Person.self, Dog.self]))
    }
    expect("Encryption is not supported for in-memory realms", in: result)
  }
}
