// SPDX-License-Identifier: Apache-2.0

// A user as the code of an app sees it: functions, triggers and webhooks.

#if Server
package import RealmFormats

/// A user of an app, with the words of its providers.
package struct FunctionUser: Hashable, Sendable {
  /// A way to log in.
  package struct Login: Hashable, Sendable {
    package let id: String
    package let provider: String
  }

  package let id: String
  /// Whether it is the user of an API key of the app.
  package let isServer: Bool
  /// The words of all providers about the user.
  package let data: [BSONElement]
  package let customData: BSONValue?
  package let identities: [Login]

  package init(
    _ account: Account, _ identities: [Identity], customData: BSONValue?
  ) {
    id = account.id
    isServer = account.isServer
    data = identities.profile
    self.customData = customData
    self.identities = identities.map { Login(id: $0.id, provider: $0.name.provider) }
  }

  /// The document for webhooks and triggers.
  package var value: BSONValue {
    .document([
      BSONElement("id", .string(id)),
      BSONElement("type", .string(isServer ? "server" : "normal")),
      BSONElement("data", .document(data)),
      BSONElement("custom_data", customData ?? .document([])),
      BSONElement(
        "identities",
        .array(
          identities.map {
            .document([
              BSONElement("id", .string($0.id)), BSONElement("provider_type", .string($0.provider)),
            ])
          })),
    ])
  }
}
#endif
