// SPDX-License-Identifier: Apache-2.0

// The profiles of users.

public import Foundation

/// What a user's provider tells of the user.
public struct UserProfile: Sendable {
  /// All that the server knows.
  public let metadata: Document

  init(_ metadata: Document) { self.metadata = metadata }

  private func text(_ key: String) -> String? { metadata[key]??.stringValue }

  public var name: String? { text("name") }
  public var email: String? { text("email") }
  public var pictureURL: URL? { text("picture_url").flatMap { URL(string: $0) } }
  public var firstName: String? { text("first_name") }
  public var lastName: String? { text("last_name") }
  public var gender: String? { text("gender") }
  public var birthday: String? { text("birthday") }
  public var minAge: String? { text("min_age") }
  public var maxAge: String? { text("max_age") }
}
