// SPDX-License-Identifier: Apache-2.0

// The profiles of users.

public import Foundation

/// What a user's provider tells of the user.
public struct UserProfile: Sendable {
  /// All that the server knows.
  public let metadata: Document

  init(_ metadata: Document) { self.metadata = metadata }

  private func text(_ key: String) -> String? { metadata[key]??.stringValue }

  /// The whole name.
  public var name: String? { text("name") }
  /// The address of e-mail.
  public var email: String? { text("email") }
  /// The address of a picture.
  public var pictureURL: URL? { text("picture_url").flatMap { URL(string: $0) } }
  /// The given name.
  public var firstName: String? { text("first_name") }
  /// The family name.
  public var lastName: String? { text("last_name") }
  /// The gender, in the provider's words.
  public var gender: String? { text("gender") }
  /// The birthday, as the provider writes it.
  public var birthday: String? { text("birthday") }
  /// The least age that the user may have.
  public var minAge: String? { text("min_age") }
  /// The greatest age that the user may have.
  public var maxAge: String? { text("max_age") }
}
