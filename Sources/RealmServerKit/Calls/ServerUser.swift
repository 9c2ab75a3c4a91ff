// SPDX-License-Identifier: Apache-2.0

// A user as the server's own code sees it.

#if Server
import RealmFormats
import RealmServerEngine
import RealmServerServices
public import RealmSwift

/// A user of an app.
public struct ServerUser: Hashable, Sendable {
  /// The id, which rules and partitions name.
  public let id: String
  /// Whether it is the user of an API key of the app, and no person.
  public let isServer: Bool
  /// The data of the user at the providers of its logins: `email`, `name` …
  public let data: Document
  /// The custom data of the user; nil if there is none.
  public let customData: Document?
  /// The names of the providers that the user logs in with, like `local-userpass`.
  public let providers: [String]

  /// The address that the user has registered, or that a provider has; nil if there is none.
  public var email: String? { data["email"]??.stringValue }

  init(_ user: FunctionUser) {
    id = user.id
    isServer = user.isServer
    data = Document(user.data)
    if case .document(let elements)? = user.customData {
      customData = Document(elements)
    } else {
      customData = nil
    }
    providers = user.identities.map(\.provider)
  }
}
#endif
