// SPDX-License-Identifier: Apache-2.0

// The changes of the objects of one table, without the class.

/// The objects of a table that came, changed and went.
struct ObjectChanges: Sendable {
  struct Modification: Sendable {
    let identity: IdentityInClass
    let propertyNames: [String]
  }

  var insertions: [IdentityInClass] = []
  var modifications: [Modification] = []
  var deletions: [IdentityInClass] = []

  var isEmpty: Bool { insertions.isEmpty && modifications.isEmpty && deletions.isEmpty }
}
