import Foundation
import RealmSwift

actor Greenhouse {
  private var realm: Realm!

  init(_ configuration: Realm.Configuration = .defaultConfiguration) async throws {
    realm = try await Realm(configuration: configuration, actor: self)
  }
}
