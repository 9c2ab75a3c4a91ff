// SPDX-License-Identifier: Apache-2.0

// The profiles of users.

#if Sync
public import Foundation

/// What a user's provider tells of the user.
public struct UserProfile: Sendable {
  /// All that the server knows.
  public let metadata: Document

  /// A profile of which nothing is known.
  public init() { self.init([:]) }

  init(_ metadata: Document) { self.metadata = metadata }

  private func text(_ key: String) -> String? { metadata[key]??.stringValue }

  /// The name; nil if it is not known.
  public var name: String? { text("name") }
  /// The e-mail address; nil if it is not known.
  public var email: String? { text("email") }
  /// The address of a picture; nil if it is not known.
  public var pictureURL: URL? { text("picture_url").flatMap { URL(string: $0) } }
  /// The first name; nil if it is not known.
  public var firstName: String? { text("first_name") }
  /// The last name; nil if it is not known.
  public var lastName: String? { text("last_name") }
  /// The gender; nil if it is not known.
  public var gender: String? { text("gender") }
  /// The birthday; nil if it is not known.
  public var birthday: String? { text("birthday") }
  /// The least age that the user may have; nil if it is not known.
  public var minAge: String? { text("min_age") }
  /// The greatest age that the user may have; nil if it is not known.
  public var maxAge: String? { text("max_age") }
}
#endif
