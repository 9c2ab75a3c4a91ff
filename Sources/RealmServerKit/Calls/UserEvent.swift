// SPDX-License-Identifier: Apache-2.0

// What a trigger about users hands to the app's code.

#if Server
public import Foundation
public import RealmSwift

/// An event about a user, as a trigger hands it to code.
public struct UserEvent: Sendable {
  /// The kinds of events.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// It was made, by its first login.
    case create = "CREATE"
    /// It has logged in.
    case login = "LOGIN"
    /// It was deleted.
    case delete = "DELETE"
  }

  /// The kind of the event.
  public let kind: Kind
  /// The id of the user.
  public let userID: String
  /// The data of the user at the providers of its logins: `email`, `name` …
  public let data: Document
  /// The custom data of the user; nil if there is none.
  public let customData: Document?
  /// The names of its providers.
  public let providers: [String]
  /// When it was.
  public let time: Date
  /// The number of this attempt to deliver the event, from 1.
  public let attempt: Int

  init(_ event: Document) {
    kind = event.text("operationType").flatMap { Kind(rawValue: $0) } ?? .login
    let user = event.document("user")
    userID = user?.text("id") ?? ""
    data = user?.document("data") ?? [:]
    customData = user?.document("custom_data")
    providers = (event.value("providers")?.arrayValue ?? []).compactMap { $0?.stringValue }
    time = event.value("time")?.dateValue ?? Date(timeIntervalSince1970: 0)
    attempt = event.value("attempt")?.asInt() ?? 1
  }
}
#endif
