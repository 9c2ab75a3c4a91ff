// SPDX-License-Identifier: Apache-2.0

// The order of concurrent changesets.

/// The order for deciding conflicts: by time, then by file. The later changeset wins.
///
/// No two merged changesets have equal discriminants, because a file's timestamps never go back and
/// the changesets of one file are never merged with each other.
struct Discriminant: Comparable, Sendable {
  var timestamp: OriginTimestamp
  var file: FileIdentifier

  /// The discriminant of a changeset, in whose origin `FileIdentifier.own` means `ownIdent`.
  init(_ origin: ChangesetOrigin, ownIdent: FileIdentifier) {
    timestamp = origin.timestamp
    file = origin.file == .own ? ownIdent : origin.file
  }

  static func < (left: Discriminant, right: Discriminant) -> Bool {
    left.timestamp == right.timestamp
      ? left.file < right.file : left.timestamp < right.timestamp
  }
}
