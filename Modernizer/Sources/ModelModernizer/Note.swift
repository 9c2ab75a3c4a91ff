// SPDX-License-Identifier: Apache-2.0

// What a person has to look at.

/// Something that was left as it was, or that has to change elsewhere, with its place.
public struct Note: Equatable, Sendable {
  /// The file, as it was named to the modernizer.
  public let file: String
  /// The line, from 1.
  public let line: Int
  /// What is to be done there.
  public let text: String
}
