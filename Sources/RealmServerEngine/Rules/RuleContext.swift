// SPDX-License-Identifier: Apache-2.0

// The values behind the expansions of rules.

package import RealmFormats

/// A value that a rule names: of the user, or of the partition.
package enum RuleExpansion: Hashable, Sendable {
  /// `%%user.id`
  case userID
  /// `%%user.type`
  case userType
  /// `%%user.data.email`
  case userEmail
  /// `%%user.custom_data.<path>`
  case customData([String])
  /// `%%partition`
  case partition
}

/// A user as rules see it.
package struct RuleUser: Hashable, Sendable {
  package var id: String
  /// The address of the user's login; nil without one.
  package var email: String?
  package var customData: BSONValue?
  /// Whether it is the user of an API key of the app.
  package var isServer = false

  package init(id: String, email: String? = nil, customData: BSONValue? = nil) {
    self.id = id
    self.email = email
    self.customData = customData
  }
}

/// The user of a session, as rules see it.
package struct RuleContext: Hashable, Sendable {
  package var user: RuleUser
  /// Nil in flexible mode.
  package var partition: BSONValue?

  package init(user: RuleUser, partition: BSONValue?) {
    self.user = user
    self.partition = partition
  }

  func value(of expansion: RuleExpansion) -> BSONValue? {
    switch expansion {
    case .userID: .string(user.id)
    case .userType: .string(user.isServer ? "server" : "normal")
    case .userEmail: user.email.map { .string($0) }
    case .customData(let path): path.reduce(user.customData) { $0?[$1] }
    case .partition: partition
    }
  }
}
